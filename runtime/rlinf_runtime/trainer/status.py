"""`status.json`: what the run is doing right now, for those who watch it."""

from __future__ import annotations

import json
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

Phase = Literal["demonstrations", "sft", "validate", "train", "report", "done"]


class Status:
    """Writes `status.json` by rename, so that a reader never sees half of it."""

    def __init__(self, folder: Path, *, total_steps: int) -> None:
        """Names the file; nothing is written yet.

        Args:
            folder: the run folder.
            total_steps: GRPO steps of the whole run.
        """
        self._path = folder / "status.json"
        self._total_steps = total_steps
        self._phase: Phase | None = None
        self._phase_started = 0.0
        self._phase_fraction = 0.0

    def write(self, phase: Phase, *, step: int, success_rate: float | None, fraction: float = 0.0) -> None:
        """Replaces the status.

        Args:
            phase: what is going on.
            step: GRPO steps done.
            success_rate: of the newest validation, or None before the first.
            fraction: how much of the phase is done, from 0 to 1; the time left in it is extrapolated from this.
        """
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._phase_started, self._phase_fraction = phase, now, fraction
        done = fraction - self._phase_fraction
        eta_s = (now - self._phase_started) * (1.0 - fraction) / done if done > 0 else None
        content = {
            "phase": phase,
            "step": step,
            "total_steps": self._total_steps,
            "success_rate": success_rate,
            "eta_s": None if eta_s is None else round(eta_s, 1),
            "updated_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        partial = self._path.with_suffix(".json.partial")
        partial.write_text(json.dumps(content) + "\n")
        partial.replace(self._path)
