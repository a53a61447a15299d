"""The metrics of one start of RLinf, from the TensorBoard files in its folder."""

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from .event_file import EventFile
from .run_log import Metrics

PATTERN = "tensorboard/**/events.out.tfevents.*"


class EventLogs:
    """All files of a start; each process that logs makes one."""

    def __init__(self, folder: Path, *, first_step: int) -> None:
        """Names the folder.

        Args:
            folder: of the start.
            first_step: where RLinf, which counts over all starts, began to count in this one.
        """
        self._folder = folder
        self._first_step = first_step
        self._files: dict[Path, EventFile] = {}

    def new(self) -> list[Metrics]:
        """One of each scalar that was written since the last call, by the names of the files."""
        return list(self._new())

    def close(self) -> None:
        """No file stays open."""

    def _new(self) -> Iterator[Metrics]:
        for path in sorted(self._folder.glob(PATTERN)):
            for _, scalar in self._files.setdefault(path, EventFile(path)).new():
                yield Metrics(
                    time=datetime.fromtimestamp(scalar.time_s, timezone.utc),
                    step=scalar.step - self._first_step,
                    values={scalar.name: scalar.value},
                )
