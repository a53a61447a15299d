"""How far the engine has come in this start of it."""

import re
from collections.abc import Callable

from .console import Batch, Epoch, Event, Saving
from .run_log import Metrics

# Of SimpleVLA-RL's validation, and of RLinf's.
_SUCCESS = ("val/test_score/all", "eval/success_once")
_STEP_OF_CHECKPOINT = re.compile(r"global_step_(\d+)/?$")


class Progress:
    """Counts what the engine reports.

    Attributes:
        step: of the newest metrics; -1 before the first.
        updates: of the policy; one follows each batch of rollouts that is filled.
        epochs: whole passes over the training data.
        batch: the newest batch of rollouts.
        success_rate: of the newest validation.
        checkpoint: folder of the newest one that was begun.
        advanced_at_s: when anything of this changed, by the clock that was given.
    """

    def __init__(self, clock_s: Callable[[], float], *, completes_batches: bool = True) -> None:
        """Begins to count.

        Args:
            clock_s: tells the time.
            completes_batches: whether an epoch goes on until its last batch is filled (the patch `epoch-end`).
        """
        self._clock_s = clock_s
        self._completes_batches = completes_batches
        self._batches_per_epoch = 0
        self._in_epoch = 0
        self._unfilled = 0
        self.step = -1
        self.updates = 0
        self.epochs = 0
        self.batch: Batch | None = None
        self.success_rate: float | None = None
        self.checkpoint: str | None = None
        self.advanced_at_s = clock_s()

    def see(self, event: Event | Metrics) -> None:
        """Takes in what the engine has said."""
        self.advanced_at_s = self._clock_s()
        if isinstance(event, Metrics):
            self.step = event.step
            self.success_rate = next(
                (event.values[name] for name in _SUCCESS if name in event.values), self.success_rate
            )
        elif isinstance(event, Epoch):
            self._batches_per_epoch = event.batches
        elif isinstance(event, Batch):
            self._see_batch(event)
        elif isinstance(event, Saving):
            self.checkpoint = event.folder

    @property
    def idle_epochs(self) -> int:
        """Passes over the training data, up to now, in which no batch was filled."""
        return self._unfilled // self._batches_per_epoch if self._batches_per_epoch else 0

    def step_of_checkpoint(self) -> int | None:
        """The number in the newest checkpoint's name."""
        match = _STEP_OF_CHECKPOINT.search(self.checkpoint or "")
        return int(match[1]) if match else None

    def _see_batch(self, batch: Batch) -> None:
        self.batch = batch
        self._in_epoch += 1
        is_filled = batch.kept >= batch.wanted
        self.updates += is_filled
        self._unfilled = 0 if is_filled else self._unfilled + 1
        if self._ends_epoch(batch):
            self.epochs += 1
            self._in_epoch = 0

    def _ends_epoch(self, batch: Batch) -> bool:
        """As the tree has it: when the data ends; patched, it goes through them again for a batch that has begun."""
        if not self._batches_per_epoch or self._in_epoch < self._batches_per_epoch:
            return False
        data_end = self._in_epoch % self._batches_per_epoch == 0
        return batch.kept >= batch.wanted or (data_end and (batch.kept == 0 or not self._completes_batches))
