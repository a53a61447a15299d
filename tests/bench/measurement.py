"""One measured thing, beside a reference that was measured in turn with it."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A row of the report.

    Attributes:
        name: what was measured.
        value: its median.
        unit: of the value and the reference.
        reference: median of the reference.
        reference_name: what the reference is.
        limit: what the value must not exceed, where the project has promised one.
    """

    name: str
    value: float
    unit: str
    reference: float
    reference_name: str
    limit: float | None = None

    @property
    def ratio(self) -> float:
        """Value over reference: what stays comparable between machines."""
        return self.value / self.reference


def in_turn(subject: Callable[[], float], reference: Callable[[], float], *, rounds: int) -> tuple[float, float]:
    """Medians of both, measured one after the other, so that a machine's drift meets both."""
    subject(), reference()
    pairs = [(subject(), reference()) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def seconds(action: Callable[[], object]) -> Callable[[], float]:
    """A measurement of the time that an action takes."""

    def measure() -> float:
        began_s = time.perf_counter()
        action()
        return time.perf_counter() - began_s

    return measure


def command(*words: str | Path) -> Callable[[], object]:
    """An action that runs a command."""
    return lambda: subprocess.run([str(word) for word in words], check=True, capture_output=True)


def empty_chart() -> Path:
    """A chart that renders nothing."""
    folder = Path(tempfile.mkdtemp(prefix="rlinf-bench-"))
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: empty, version: 0.1.0}\n")
    return folder
