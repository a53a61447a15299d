"""#27: the last batch of an epoch is thrown away, and with it every batch of a run whose filter keeps little."""

from __future__ import annotations

from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from .. import target
from ..patch import APPLIED, Outcome, Patch
from .trainer_config import MODULE

_PASSES = 3


class _Epoch:
    """How far the batch is that a trainer collects, and whether its epoch went on for it.

    An epoch ends where a batch is complete: when the prompts end before, another pass over them begins.
    """

    def __init__(self) -> None:
        self._kept = 0
        self._rolled_out = 0
        self._passes = 0
        self._goes_on = False

    def start(self) -> None:
        self._goes_on = False

    def is_over(self) -> bool:
        return self._goes_on and self._kept == 0

    def add(self, kept: int, *, rolled_out: int, needed: int) -> None:
        """Takes down what a filter kept; a complete batch begins the next one."""
        self._kept += kept
        self._rolled_out += rolled_out
        if self._kept >= needed:
            self._kept = self._rolled_out = self._passes = 0

    def prompts_end(self) -> bool:
        """Whether another pass over the prompts shall complete the batch.

        Raises:
            RuntimeError: there were enough passes to know that the batch will not fill.
        """
        if self._rolled_out == 0:
            return False
        self._passes += 1
        if self._passes == _PASSES:
            raise RuntimeError(
                f"no batch was complete after {_PASSES} passes over the prompts: the filter kept {self._kept} of "
                f"{self._rolled_out} rollouts. Widen data.accuracy_lower_bound and data.accuracy_upper_bound (0 and 1 "
                "keep all), lower data.train_batch_size, or start from a model that succeeds at some tasks"
            )
        self._goes_on = self._kept > 0
        return self._goes_on


class _Epochs:
    """The epoch that each dataloader is in."""

    def __init__(self) -> None:
        self._epochs: WeakKeyDictionary[Any, _Epoch] = WeakKeyDictionary()

    def of(self, dataloader: Any) -> _Epoch:
        return self._epochs.setdefault(dataloader, _Epoch())


def _apply(module: ModuleType) -> Outcome:
    trainer, dataloader = target.member(module, "RayTrainer"), target.member(module, "BufferedDataLoader")
    target.function(trainer, "fit", ("self",), uses=("get_next_batch", "start_new_epoch", "StopIteration"))
    target.function(trainer, "filter", ("self", "reward_tensor", "batch", "n_samples"))
    begin_pass = target.function(dataloader, "start_new_epoch", ("self",), uses=("dataloader_iter",))
    target.function(dataloader, "get_next_batch", ("self",), uses=("dataloader_iter",))
    epochs = _Epochs()
    target.replace(trainer, "filter", lambda original: _counting(original, epochs))
    target.replace(dataloader, "start_new_epoch", lambda original: _starting(original, epochs))
    target.replace(dataloader, "get_next_batch", lambda original: _going_on(original, epochs, begin_pass))
    return APPLIED


def _counting(original: target.Function, epochs: _Epochs) -> target.Function:
    def filter_(self: Any, reward_tensor: Any, batch: Any, n_samples: int) -> Any:
        kept = original(self, reward_tensor, batch, n_samples)
        needed = self.config.data.train_batch_size * n_samples
        epochs.of(self.train_dataloader).add(len(kept), rolled_out=len(batch), needed=needed)
        return kept

    return filter_


def _starting(original: target.Function, epochs: _Epochs) -> target.Function:
    def start_new_epoch(self: Any) -> None:
        epochs.of(self).start()
        original(self)

    return start_new_epoch


def _going_on(original: target.Function, epochs: _Epochs, begin_pass: target.Function) -> target.Function:
    def get_next_batch(self: Any) -> Any:
        epoch = epochs.of(self)
        if epoch.is_over():
            raise StopIteration
        try:
            return original(self)
        except StopIteration:
            if not epoch.prompts_end():
                raise
        begin_pass(self)
        return original(self)

    return get_next_batch


PATCH = Patch(
    name="epoch-end",
    engines=("verl",),
    modules=(MODULE,),
    discovery="#27",
    about=(
        "An epoch's end discards the unfinished batch, so that a strict filter means no update ever and exit code 0; "
        f"the batch is completed from another pass, and {_PASSES} passes without one end the run with the reason."
    ),
    apply=_apply,
)
