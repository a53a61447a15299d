"""Which episodes exist: every seed belongs to exactly one of demonstrations, training and validation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rlinf_runtime.trainer.tasks import Task

_INDEX_BITS = 40
_RUN_BITS = 20


class Split(IntEnum):
    """The part of the seed space that an episode comes from."""

    DEMONSTRATION = 0
    TRAINING = 1
    VALIDATION = 2


@dataclass(frozen=True, slots=True)
class Episode:
    """A scene, drawn from a seed, and a task in it.

    Example: `Episode(seed=3, task=Task("touch", "red"))`.
    """

    seed: int
    task: Task


def episode_seed(split: Split, *, run_seed: int, index: int) -> int:
    """Packs (split, run seed, index) into one integer, so that no two of them share a scene.

    Raises:
        ValueError: a part does not fit into its bits.
    """
    if not 0 <= run_seed < 1 << _RUN_BITS:
        raise ValueError(f"run seed must be from 0 to {(1 << _RUN_BITS) - 1}, got {run_seed}")
    if not 0 <= index < 1 << _INDEX_BITS:
        raise ValueError(f"episode index must be from 0 to {(1 << _INDEX_BITS) - 1}, got {index}")
    return (int(split) << (_RUN_BITS + _INDEX_BITS)) | (run_seed << _INDEX_BITS) | index


def episodes(split: Split, suite: tuple[Task, ...], *, run_seed: int, indices: Iterable[int]) -> list[Episode]:
    """The episodes at `indices` of a split; the tasks of the suite take turns, so that all are equally frequent.

    Validation ignores the run's seed: all runs are measured on the same scenes.
    """
    seed = 0 if split is Split.VALIDATION else run_seed
    return [
        Episode(seed=episode_seed(split, run_seed=seed, index=index), task=suite[index % len(suite)])
        for index in indices
    ]
