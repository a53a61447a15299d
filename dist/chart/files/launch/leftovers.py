"""What killed processes leave in shared memory: files that stay as long as the pod, however often its container starts.

After some restarts /dev/shm is full, and NCCL ends with "No space left on device" (llm-d#352).
"""

import os
from contextlib import suppress
from pathlib import Path

from . import log

logger = log.of_step("check")

_FOLDER = Path("/dev/shm")  # noqa: S108 - the file system itself
# Of NCCL, PyTorch, Python's multiprocessing (memory and semaphores) and Ray's store.
_PATTERNS = ("nccl-*", "torch_*", "psm_*", "sem.mp-*", "plasma*")


def remove(*, folder: Path = _FOLDER, pid: int | None = None) -> None:
    """Removes them where nobody can be using them: this process is the first of its container.

    Args:
        folder: where they lie.
        pid: of this process; only a container's first one has 1.
    """
    if (os.getpid() if pid is None else pid) != 1:
        return
    found = [path for pattern in _PATTERNS for path in folder.glob(pattern)]
    for path in found:
        # Of other users, such as a sidecar's.
        with suppress(OSError):
            path.unlink()
    if found:
        logger.info("removed %d files of an earlier life of this container from %s", len(found), folder)
