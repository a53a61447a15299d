"""Checkpoints: everything that training needs to go on exactly where it was.

    checkpoints/global_step_10/
        state/          this step's weights and optimizer, sharded (torch.distributed.checkpoint)
        policy/         the weights once more, unsharded, for `actor_rollout_ref.model.path` of another run
        trainer.json    {"step": 10}

There is no generator state to save: every random draw of a step comes from generators seeded by (run seed, step), and
the scheduler and the sampler are functions of the step. A checkpoint is written beside its final name and renamed when
it is complete; what has no final name is ignored.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_LOGGER = logging.getLogger(__name__)
_NAME = re.compile(r"global_step_(\d+)")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete checkpoint on disk."""

    folder: Path
    step: int

    @property
    def state(self) -> Path:
        """The sharded training state."""
        return self.folder / "state"


class CheckpointFolder:
    """The checkpoints of one run."""

    def __init__(self, folder: Path, *, max_to_keep: int) -> None:
        """Names the folder; nothing is written yet.

        Args:
            folder: where `global_step_N` folders live.
            max_to_keep: how many of the newest stay.
        """
        self._folder = folder
        self._max_to_keep = max_to_keep

    def complete(self) -> list[Checkpoint]:
        """The complete checkpoints, oldest first."""
        found = [
            Checkpoint(folder=path, step=int(match[1]))
            for path in (self._folder.iterdir() if self._folder.is_dir() else ())
            if (match := _NAME.fullmatch(path.name))
        ]
        return sorted(found, key=lambda checkpoint: checkpoint.step)

    def newest(self) -> Checkpoint | None:
        """The newest complete checkpoint, if there is one."""
        return next(reversed(self.complete()), None)

    def begin(self, step: int) -> Path:
        """An empty folder to write the checkpoint of `step` into; `finish` completes it."""
        partial = self._partial(step)
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        return partial

    def finish(self, step: int) -> Checkpoint:
        """Gives the checkpoint its final name and removes the oldest beyond the number to keep."""
        partial = self._partial(step)
        (partial / "trainer.json").write_text(json.dumps({"step": step}) + "\n")
        final = self._folder / f"global_step_{step}"
        # A run that resumed before `step` writes it again; the same state, so either copy is right.
        shutil.rmtree(final, ignore_errors=True)
        partial.replace(final)
        for old in self.complete()[: -self._max_to_keep]:
            shutil.rmtree(old.folder)
            _LOGGER.debug("removed %s", old.folder)
        return Checkpoint(folder=final, step=step)

    def _partial(self, step: int) -> Path:
        return self._folder / f"global_step_{step}.partial"
