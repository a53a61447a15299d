"""One writer of a run folder at a time: two engines in it would take each other's checkpoints for their own.

Whoever runs the engine keeps the file `writer` there, and touches it every few seconds. Nodes' clocks differ, so
another that wants to start looks whether the file's time still changes, and not how old it is. A pod that was killed
leaves the file behind: its next life has the same name and goes on at once, others when it has been still for a while.
"""

import os
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from . import log
from .exit_codes import BootstrapError, ExitCode
from .processes import Processes

logger = log.of_step("wait")

_TOUCH_S = 3.0
_POLL_S = 1.0


def writer_name(environ: Mapping[str, str], *, job: str = "") -> str:
    """This writer among those of all namespaces and jobs."""
    return f"{environ.get('POD_NAMESPACE', '')}/{environ.get('POD_NAME', '')}{job and f', job {job}'}"


@contextmanager
def sole_writer(
    folder: str, *, name: str, processes: Processes, patience_s: float, still_s: float = 20.0
) -> Generator[None]:
    """Waits until nobody else writes to the run folder, and keeps others waiting meanwhile.

    Args:
        folder: the run folder, which is there.
        name: of this writer, for people; the same in the next life of the same pod.
        processes: waits.
        patience_s: how long another writer may take to leave, such as one that was told to stop and saves.
        still_s: after which a file that nobody touches is taken for that of a dead one.

    Raises:
        BootstrapError: (`PREFLIGHT`) another writer stays.
    """
    path = Path(folder, "writer")
    _acquire(path, name, processes, patience_s, still_s)
    is_over = threading.Event()
    toucher = threading.Thread(target=_touch_until, args=(is_over, path, name), name="writer", daemon=True)
    toucher.start()
    try:
        yield
    finally:
        is_over.set()
        # A volume that hangs must not keep the pod.
        toucher.join(timeout=_POLL_S)
        if _seen(path).name == name:
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What others see of a writer: its name, and a time that changes while it lives."""

    name: str = ""
    touched_ns: int = 0


def _seen(path: Path) -> _Seen:
    try:
        # Opened first: NFS asks its server for the time then.
        with path.open(encoding="utf-8") as file:
            return _Seen(file.read(), os.fstat(file.fileno()).st_mtime_ns)
    except OSError:
        return _Seen()


def _acquire(path: Path, name: str, processes: Processes, patience_s: float, still_s: float) -> None:
    began_s = changed_s = time.monotonic()
    other = _Seen()
    while not _take(path, name):
        now_s, seen = time.monotonic(), _seen(path)
        if seen.name != other.name:
            logger.info("%s writes to %s: waiting until it has left", seen.name, path.parent)
        if seen != other:
            other, changed_s = seen, now_s
        elif now_s - changed_s > still_s:
            logger.info("%s shows no life for %.0f s: taking its place", other.name, still_s)
            path.unlink(missing_ok=True)
        elif now_s - began_s > patience_s:
            raise BootstrapError(
                ExitCode.PREFLIGHT,
                f"{other.name} writes to the run folder {path.parent}, and still does after "
                f"{patience_s:.0f} s: wait for its end, or give this release another claim or name, so that each has a "
                "folder of its own",
            )
        processes.sleep(_POLL_S)


def _take(path: Path, name: str) -> bool:
    with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
        file.write(name)
    return _seen(path).name == name


def _touch_until(is_over: threading.Event, path: Path, name: str) -> None:
    while not is_over.wait(_TOUCH_S):
        # Not when another has taken our place, for whom we were too long still.
        if _seen(path).name == name:
            with suppress(OSError):
                os.utime(path)
