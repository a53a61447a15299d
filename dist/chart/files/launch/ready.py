"""The file that the readiness probe looks for.

The head is ready while all nodes are there, and while it holds a finished run. A worker is ready when it has passed its
checks, even without a head: a StatefulSet replaces its pods from the last to the first and waits for each to be ready,
so a worker of a changed run that waited for the head would keep that very head from being replaced.
"""

import os
from pathlib import Path

from . import log

logger = log.of_step("ready")


def mark() -> None:
    """Makes the file."""
    try:
        _path().touch()
    except OSError as error:
        logger.warning("cannot write %s, so this pod does not become ready: %s", _path(), error)


def unmark() -> None:
    """Removes the file; an earlier container of this pod may have left it."""
    try:
        _path().unlink(missing_ok=True)
    except OSError as error:
        logger.warning("cannot remove %s, so this pod stays ready: %s", _path(), error)


def _path() -> Path:
    return Path(os.environ.get("RLINF_READY_FILE", "/tmp/rlinf-ready"))  # noqa: S108 - where the chart's probe looks
