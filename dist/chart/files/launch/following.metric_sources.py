"""The engine's metrics as it writes them into the run folder, each record with what tells it from all others."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..run_config import RunConfig
from ..staging.attempts import AttemptFolder, attempts_in
from . import event_logs, run_log
from .event_file import EventFile
from .tail import Tail

_DIGEST_CHARACTERS = 12
_UNNAMEABLE = re.compile(r"[^\w.\- :/]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What an engine measured in one step.

    Attributes:
        mark: tells this record from all others of the run; a file that is written anew has the same marks.
        timestamp_ms: when it was measured, since 1970.
        step: over all starts of the engine.
        values: numbers by name, in characters that MLflow allows.
    """

    mark: str
    timestamp_ms: int
    step: int
    values: Mapping[str, float]


class MetricSources:
    """All files of a run in which its engine writes metrics; new ones are found as they come."""

    def __init__(self, config: RunConfig) -> None:
        self._folder = Path(config.folder)
        self._engine = config.engine.name
        self._tails: dict[Path, Tail] = {}
        self._event_files: dict[Path, EventFile] = {}

    def new(self) -> list[Record]:
        """The records since the last call, oldest first; at the first call, all."""
        sources = {"native": self._of_native, "verl": self._of_verl, "rlinf": self._of_rlinf}
        return list(sources[self._engine]())

    def close(self) -> None:
        """Lets go of the files."""
        for tail in self._tails.values():
            tail.close()

    def _of_native(self) -> Iterator[Record]:
        for line in self._lines(self._folder / "metrics.jsonl"):
            if record := _native_record(line):
                yield record

    def _of_rlinf(self) -> Iterator[Record]:
        """It counts its steps over all starts itself."""
        for attempt in attempts_in(self._folder):
            for path in sorted(attempt.path.glob(event_logs.PATTERN)):
                for record, scalar in self._event_files.setdefault(path, EventFile(path)).new():
                    yield Record(
                        mark=_mark(f"{attempt.number} {path.name} ".encode() + record),
                        timestamp_ms=round(scalar.time_s * 1000),
                        step=scalar.step,
                        values=_named({scalar.name: scalar.value}),
                    )

    def _of_verl(self) -> Iterator[Record]:
        for attempt in attempts_in(self._folder):
            first_step = _first_step(attempt)
            for path in sorted(attempt.checkpoints.glob("run_*.log")):
                for line in self._lines(path):
                    if metrics := run_log.parse(line):
                        yield Record(
                            mark=_mark(f"{attempt.number} {path.name} {line}".encode()),
                            timestamp_ms=round(metrics.time.timestamp() * 1000),
                            step=first_step + metrics.step,
                            values=_named(metrics.values),
                        )

    def _lines(self, path: Path) -> list[str]:
        return self._tails.setdefault(path, Tail(path)).lines()


def _first_step(attempt: AttemptFolder) -> int:
    record = attempt.record()
    return record.first_step if record else 0


def _native_record(line: str) -> Record | None:
    try:
        tree = json.loads(line)
        step, timestamp_s = tree.pop("step"), tree.pop("timestamp_s")
        values = {name: float(value) for name, value in tree.items() if isinstance(value, int | float)}
        return Record(
            mark=_mark(line.encode()), timestamp_ms=round(timestamp_s * 1000), step=int(step), values=_named(values)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGEST_CHARACTERS]


def _named(values: Mapping[str, float]) -> dict[str, float]:
    return {_UNNAMEABLE.sub("_", name): value for name, value in values.items()}
