r"""The metrics that SimpleVLA-RL writes: run_*.log, one line a step, `timestamp \t step \t JSON`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .tail import Tail

_PATTERN = "run_*.log"


@dataclass(frozen=True, kw_only=True, slots=True)
class Metrics:
    """One line of the log.

    Attributes:
        time: when it was written, by the clock of the pod that wrote it.
        step: of this start of the engine, from 0; validation has lines of its own for a step.
        values: numbers by name.
    """

    time: datetime
    step: int
    values: Mapping[str, float]


def parse(line: str) -> Metrics | None:
    """A line's metrics; None for a comment and for what is no line of this log."""
    timestamp, _, rest = line.partition("\t")
    step, _, text = rest.partition("\t")
    try:
        values = json.loads(text)
        return Metrics(
            time=datetime.fromisoformat(timestamp),
            step=int(step),
            values={name: float(value) for name, value in values.items() if isinstance(value, int | float)},
        )
    except (ValueError, AttributeError):
        return None


class RunLogs:
    """All logs in a folder; each start of the engine's logger makes one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tails: dict[str, Tail] = {}

    def new(self) -> list[Metrics]:
        """The lines since the last call, in the order of the files' names, which carry the time of their making."""
        for path in self._folder.glob(_PATTERN):
            self._tails.setdefault(path.name, Tail(path))
        lines = [line for name in sorted(self._tails) for line in self._tails[name].lines()]
        return [metrics for line in lines if (metrics := parse(line))]

    def close(self) -> None:
        """Lets go of the files."""
        for tail in self._tails.values():
            tail.close()
