"""The contract: the exit codes after which a Job is not tried again are the bootstrap's."""

from __future__ import annotations

from rlinf_charts.modes import NO_USE_TO_TRY_AGAIN
from rlinf_runtime.bootstrap.exit_codes import ExitCode


def test_no_use_to_try_again() -> None:
    """A wrong configuration, a missing claim, a wrong token and a filter that keeps nothing stay wrong."""
    assert set(NO_USE_TO_TRY_AGAIN) == {
        ExitCode.CONFIG,
        ExitCode.PREFLIGHT,
        ExitCode.RAY_AUTH,
        ExitCode.NO_UPDATES,
    }
