"""What tests start ends with them: a worker of pytest-xdist that is interrupted or killed runs no fixture's end."""

from __future__ import annotations

import sys
from collections.abc import Sequence

# SIGTERM (15) when the process that started it is gone (PR_SET_PDEATHSIG is 1); it outlives the exec.
_LEASH = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); os.execvp(sys.argv[1], sys.argv[1:])"


def leashed(command: Sequence[str]) -> list[str]:
    """The command, which gets SIGTERM when the tests that started it are gone, so that it can clean up."""
    return [sys.executable, "-ISc", _LEASH, *command]
