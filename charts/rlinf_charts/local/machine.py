"""What `local` needs of this machine: Linux, a library to render with, free ports."""

import ctypes
import socket
import sys
from collections.abc import Iterable

from rlinf_charts.local.errors import LocalError

_LIBRARIES = {"egl": "libEGL.so.1", "osmesa": "libOSMesa.so.8"}


def check_platform() -> None:
    """Refuse a system without the kernel features that keep containers together.

    Raises:
        LocalError: On anything but Linux.
    """
    if sys.platform != "linux":
        raise LocalError(f"local needs Linux (it keeps processes together by prctl); this is {sys.platform}")


def check_renderer(mujoco_gl: str) -> None:
    """Refuse to start without the library that MuJoCo renders with.

    Args:
        mujoco_gl: The containers' MUJOCO_GL.

    Raises:
        LocalError: When it names a library that cannot be loaded.
    """
    library = _LIBRARIES.get(mujoco_gl)
    if library is None:
        return
    try:
        ctypes.CDLL(library)
    except OSError:
        raise LocalError(
            f"MuJoCo cannot render: MUJOCO_GL={mujoco_gl} needs {library}, which this machine lacks; on Debian or "
            "Ubuntu, run `apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6` and "
            "pass --set extraEnv.MUJOCO_GL=osmesa"
        ) from None


def free_ports(preferred: Iterable[int]) -> list[int]:
    """Return, for each preferred port, itself or the next one above that nobody uses on this machine."""
    chosen: list[int] = []
    for port in preferred:
        candidates = range(port, 65536)
        chosen.append(next(candidate for candidate in candidates if candidate not in chosen and _is_free(candidate)))
    return chosen


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: a port of connections that have just closed is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
        return True
