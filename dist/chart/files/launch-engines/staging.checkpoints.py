"""The complete checkpoints that earlier starts have left, by each engine's own layout."""

import logging
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import log
from ..run_config import EngineName
from . import weights
from .attempts import AttemptFolder

logger = log.of_step("stage")

_NAME = re.compile(r"global_step_(\d+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """A complete checkpoint: what it holds, over all starts that led to it."""

    folder: Path
    steps: int
    epochs: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Layout:
    """Where an engine saves below the folder of its start, and how to tell that a checkpoint is whole.

    Attributes:
        pattern: of the checkpoints' folders.
        check: raises IncompleteError.
        steps: done when a checkpoint was saved, from the steps before its start and the number in its name.
    """

    pattern: str
    check: Callable[[Path], None]
    steps: Callable[[int, int], int]


def _check_distributed(folder: Path) -> None:
    """torch.distributed.checkpoint writes its metadata when every rank has written."""
    if not any((folder / "actor" / name / ".metadata").is_file() for name in ("dcp_checkpoint", ".")):
        raise weights.IncompleteError("actor/dcp_checkpoint/.metadata is not there")


_LAYOUTS: Mapping[EngineName, _Layout] = {
    # Steps count from 0 in each start, and only weights are saved.
    "verl": _Layout(
        pattern="checkpoints/actor/global_step_*", check=weights.check, steps=lambda before, number: before + number + 1
    ),
    # The number is that of all steps, and the optimizer is saved as well.
    "rlinf": _Layout(
        pattern="*/checkpoints/global_step_*", check=_check_distributed, steps=lambda _before, number: number
    ),
}


def check(engine: EngineName, folder: Path) -> None:
    """Sees that a checkpoint is whole.

    Raises:
        weights.IncompleteError: it is not.
    """
    _LAYOUTS[engine].check(folder)


def newest(engine: EngineName, attempts: list[AttemptFolder]) -> Checkpoint | None:
    """The newest complete one: of the latest start that has any, the one with the most steps.

    Incomplete ones that are newer are named in the log.
    """
    for attempt in reversed(attempts):
        for number, folder in sorted(_saved(engine, attempt), reverse=True):
            if _is_complete(engine, folder):
                return _checkpoint(engine, attempt, number, folder)
    return None


def prune(engine: EngineName, attempts: list[AttemptFolder], *, keep: int, but: str) -> None:
    """Removes all but the newest complete ones.

    Args:
        engine: whose checkpoints.
        attempts: all starts so far, oldest first.
        keep: how many stay; incomplete ones do not count, and stay, since one may be in the making.
        but: folder of one that stays as well: the running start's model folder links to its weights.
    """
    complete = [
        folder
        for attempt in reversed(attempts)
        for _, folder in sorted(_saved(engine, attempt), reverse=True)
        if _is_complete(engine, folder, log_level=logging.DEBUG)
    ]
    for folder in complete[keep:]:
        if str(folder) != but:
            logger.info("removing the checkpoint %s: training.keepCheckpoints is %d", folder, keep)
            shutil.rmtree(folder, ignore_errors=True)


def within(engine: EngineName, attempts: list[AttemptFolder], folder: Path) -> Checkpoint:
    """A checkpoint that was named by its folder; of other runs nothing is known but what it holds."""
    for attempt in attempts:
        for number, saved in _saved(engine, attempt):
            if saved == folder:
                return _checkpoint(engine, attempt, number, saved)
    return Checkpoint(folder=folder, steps=0, epochs=0)


def _is_complete(engine: EngineName, folder: Path, *, log_level: int = logging.WARNING) -> bool:
    try:
        check(engine, folder)
    except weights.IncompleteError as error:
        logger.log(log_level, "ignoring the incomplete checkpoint %s: %s", folder, error)
        return False
    return True


def _saved(engine: EngineName, attempt: AttemptFolder) -> list[tuple[int, Path]]:
    """Numbers and folders, complete or not."""
    found = [(_NAME.fullmatch(path.name), path) for path in attempt.path.glob(_LAYOUTS[engine].pattern)]
    return [(int(match[1]), path) for match, path in found if match]


def _checkpoint(engine: EngineName, attempt: AttemptFolder, number: int, folder: Path) -> Checkpoint:
    record = attempt.record()
    before = (record.first_step, record.first_epoch) if record else (0, 0)
    return Checkpoint(
        folder=folder,
        steps=_LAYOUTS[engine].steps(before[0], number),
        epochs=before[1] + attempt.epochs_at(number),
    )
