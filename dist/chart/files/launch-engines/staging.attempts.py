"""The starts of the engine in a run folder, each in a folder of its own, so that none overwrites another's results.

attempts/3/
    attempt.json    what this start went on from, written by rename before the engine starts
    progress.json   how many epochs were done at each checkpoint, as far as the log told
    model/          the model folder of this start (model_folder.py)
    modules/        the model's code as transformers imports it (modules_cache.py)
    checkpoints/    what the engine writes: its logs and checkpoints (RLinf: a folder with the run's name)
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import whole_file

_RECORD = "attempt.json"
_PROGRESS = "progress.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What one start of the engine went on from.

    Attributes:
        resume: the run's `resume` at that time.
        model: the model that the user's keys named at that time.
        checkpoint: folder that it went on from; "": from the model that the user's keys name.
        first_step: steps that were done before it, and whose outcome `checkpoint` holds.
        first_epoch: epochs likewise.
    """

    resume: str
    model: str
    checkpoint: str
    first_step: int
    first_epoch: int


@dataclass(frozen=True, slots=True)
class AttemptFolder:
    """One start's folder."""

    path: Path

    @property
    def number(self) -> int:
        """Counts the starts of a run, from 1."""
        return int(self.path.name)

    @property
    def checkpoints(self) -> Path:
        """Where SimpleVLA-RL writes."""
        return self.path / "checkpoints"

    @property
    def model(self) -> Path:
        """The model folder of this start."""
        return self.path / "model"

    @property
    def modules(self) -> Path:
        """The model's code as transformers imports it."""
        return self.path / "modules"

    def record(self) -> Record | None:
        """What it went on from; None when it ended before it knew."""
        tree = _read(self.path / _RECORD)
        try:
            return Record(**tree)
        except TypeError:
            return None

    def write_record(self, record: Record) -> None:
        """Keeps what it goes on from.

        Raises:
            OSError: the folder cannot be written.
        """
        _write(self.path / _RECORD, asdict(record))

    def epochs_at(self, step: int) -> int:
        """Epochs of this start that were done when it saved the checkpoint of a step, as far as anybody noted it."""
        noted = _read(self.path / _PROGRESS).items()
        return max((epochs for at, epochs in noted if at.isdecimal() and int(at) <= step), default=0)

    def note_epochs(self, step: int, epochs: int) -> None:
        """Keeps how many epochs were done when a checkpoint was saved.

        Raises:
            OSError: the folder cannot be written.
        """
        _write(self.path / _PROGRESS, {**_read(self.path / _PROGRESS), str(step): epochs})


def attempts_in(folder: Path) -> list[AttemptFolder]:
    """The starts so far, oldest first."""
    parent = folder / "attempts"
    names = [path.name for path in parent.iterdir()] if parent.is_dir() else []
    return [AttemptFolder(parent / str(number)) for number in sorted(int(name) for name in names if name.isdecimal())]


def claim(folder: Path) -> AttemptFolder:
    """Makes the folder of the next start; when two pods believe to be the head, each gets its own.

    Raises:
        OSError: the run folder cannot be written.
    """
    (folder / "attempts").mkdir(parents=True, exist_ok=True)
    number = max((attempt.number for attempt in attempts_in(folder)), default=0)
    while True:
        number += 1
        attempt = AttemptFolder(folder / "attempts" / str(number))
        try:
            attempt.path.mkdir()
        except FileExistsError:
            continue
        return attempt


def _read(path: Path) -> dict[str, Any]:
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return tree if isinstance(tree, dict) else {}


def _write(path: Path, tree: Mapping[str, Any]) -> None:
    whole_file.write(path, json.dumps(tree) + "\n", is_durable=True)
