"""The environment worker process: a `SceneServer` behind a pipe, whose other end is in `environments.py`.

Run as `python -m rlinf_runtime.trainer.environment_worker FD`, with the pipe's file descriptor.
"""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from rlinf_runtime.trainer.environments import WorkerFailure

if TYPE_CHECKING:
    from rlinf_runtime.trainer.scene_server import SceneServer

_NO_OPENGL = (
    "MuJoCo cannot render off-screen; install EGL (on Debian or Ubuntu: apt-get install libegl1 libegl-mesa0 "
    "libgl1-mesa-dri), or set MUJOCO_GL=osmesa where libosmesa6 is installed"
)


def main() -> None:
    """Serves the pipe whose file descriptor is the only argument, until it closes."""
    with Connection(int(sys.argv[1])) as pipe:
        server = _open_server(pipe)
        try:
            _serve(pipe, server)
        finally:
            server.close()


def _open_server(pipe: Connection) -> SceneServer:
    try:
        # MuJoCo loads its OpenGL library when it is imported: what is missing shows here, and must be explained.
        from rlinf_runtime.trainer.scene_server import SceneServer  # noqa: PLC0415

        return SceneServer()
    except Exception as error:
        pipe.send(WorkerFailure(f"{_NO_OPENGL} ({type(error).__name__}: {error})"))
        raise


def _serve(pipe: Connection, server: SceneServer) -> None:
    while True:
        try:
            request = pipe.recv()
        except EOFError:
            return
        try:
            reply = server.answer(request)
        except Exception as error:
            pipe.send(WorkerFailure(f"{type(error).__name__}: {error}"))
            raise
        pipe.send(reply)


if __name__ == "__main__":
    main()
