"""Runs the checks side by side, each with a line in the log, and reports all that is wrong at once."""

import os
import threading
import time
from collections.abc import Mapping

from .. import log
from ..exit_codes import BootstrapError, ExitCode
from ..processes import Processes
from ..run_config import RunConfig
from .checks import Check
from .finding import Finding

logger = log.of_step("check")

_DEADLINE_S = 120.0
_PROGRESS_S = 5.0
_POLL_S = 0.05


class _Running:
    """One check in a thread of its own: a file system that hangs holds up no other, nor the end of the process."""

    def __init__(self, name: str, check: Check, config: RunConfig) -> None:
        self.name = name
        self.findings: list[Finding] = []
        self.took_s = 0.0
        self._check = check
        self._config = config
        self._thread = threading.Thread(target=self._run, name=f"check-{name}", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        return not self._thread.is_alive()

    def _run(self) -> None:
        began_s = time.monotonic()
        try:
            self.findings = list(self._check(self._config, os.environ))
        except Exception as error:  # noqa: BLE001 - a check that fails must not keep a good run from training
            logger.warning("the check %s failed itself: %r", self.name, error)
        self.took_s = time.monotonic() - began_s


def run_checks(config: RunConfig, checks: Mapping[str, Check], processes: Processes) -> None:
    """Runs those checks that `preflight.skip` does not name.

    Raises:
        BootstrapError: (`PREFLIGHT`) with a sentence for each thing that is wrong.
    """
    if not config.preflight.enabled:
        return
    running = [_Running(name, check, config) for name, check in checks.items() if name not in config.preflight.skip]
    _wait(running, processes)
    findings = [finding for each in running for finding in _findings(each, config)]
    faults = [str(finding) for finding in findings if finding.is_fatal]
    for finding in findings:
        if not finding.is_fatal:
            logger.warning("%s", finding)
    if len(faults) == 1:
        raise BootstrapError(ExitCode.PREFLIGHT, faults[0])
    if faults:
        raise BootstrapError(
            ExitCode.PREFLIGHT, f"{len(faults)} things are wrong on this node: see each", details=tuple(faults)
        )


def _wait(running: list[_Running], processes: Processes) -> None:
    began_s = time.monotonic()
    next_line_s = began_s + _PROGRESS_S
    while pending := [each.name for each in running if not each.is_done]:
        now_s = time.monotonic()
        if now_s - began_s >= _DEADLINE_S:
            return
        if now_s >= next_line_s:
            logger.info("still checking after %.0f s: %s", now_s - began_s, ", ".join(pending))
            next_line_s += _PROGRESS_S
        processes.sleep(_POLL_S)


def _findings(check: _Running, config: RunConfig) -> list[Finding]:
    if not check.is_done:
        return [
            Finding(
                key=f"the check {check.name}",
                wrong=f"has no answer after {_DEADLINE_S:.0f} s",
                remedy=f"look whether the volumes of this pod answer ({config.folder} above all), or name it in "
                "preflight.skip",
            )
        ]
    outcome = f"{len(check.findings)} found" if check.findings else "passed"
    logger.info("%s: %s: %.2f s", check.name, outcome, check.took_s)
    return check.findings
