"""A run as people follow it: phase, step, success rate, and how long each phase took."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rlinf_charts.local.processes import ContainerProcess, last_lines
from rlinf_charts.local.run_folder import RunFolder, Status


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """What there is to see at one moment."""

    status: Status
    success_rates: Sequence[float]
    """Of each validation so far."""
    pods: Sequence[tuple[str, str]]
    """Name and state."""
    last_line: str
    elapsed_s: float
    phases_s: dict[str, float]
    """How long each phase has taken so far, in order of appearance."""
    unchanged_s: float
    """Since the status or a pod changed."""


@dataclass(kw_only=True, slots=True)
class ProgressReader:
    """Reads a run's progress and keeps its times."""

    run: RunFolder
    processes: Sequence[ContainerProcess]
    _started_at: float = field(default_factory=time.monotonic)
    _read_at: float = field(default_factory=time.monotonic)
    _changed_at: float = field(default_factory=time.monotonic)
    _seen: object = None
    _phases_s: dict[str, float] = field(default_factory=dict[str, float])

    def read(self) -> Progress:
        """Return the progress now; time since the last call goes to the phase that was then seen."""
        now, status = time.monotonic(), self.run.status()
        pods = [(process.plan.title, process.state) for process in self.processes]
        if (status, pods) != self._seen:
            self._seen, self._changed_at = (status, pods), now
        self._phases_s[status.phase] = self._phases_s.get(status.phase, 0.0) + now - self._read_at
        self._read_at = now
        return Progress(
            status=status,
            success_rates=self.run.success_rates(),
            pods=pods,
            last_line=_newest_line([process.plan.log for process in self.processes]),
            elapsed_s=now - self._started_at,
            phases_s=dict(self._phases_s),
            unchanged_s=now - self._changed_at,
        )


def _newest_line(logs: Sequence[Path]) -> str:
    newest = max((log for log in logs if log.exists()), key=lambda log: log.stat().st_mtime_ns, default=None)
    return next(iter(last_lines(newest, 1)), "") if newest else ""
