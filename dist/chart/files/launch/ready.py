"""The file that the readiness probe looks for: there while Ray runs on this node, and while a finished run is held."""

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
