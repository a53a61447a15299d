"""Where the trainer's configuration can be put right: just before the trainer is made of it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import target

MODULE = "verl.trainer.ppo.ray_trainer"


def prepare(module: ModuleType, change: Callable[[Any], None], *, fit_uses: tuple[str, ...]) -> None:
    """Calls `change(config)` before each RayTrainer is made.

    Args:
        module: MODULE.
        change: puts the Hydra configuration right, or refuses it.
        fit_uses: names that the training loop must use for the fault to be there.

    Raises:
        MismatchError: the trainer looks different.
    """
    trainer = target.member(module, "RayTrainer")
    target.function(trainer, "__init__", ("self", "config"))
    target.function(trainer, "fit", ("self",), uses=fit_uses)

    def make(original: target.Function) -> target.Function:
        def prepared(self: Any, config: Any, *arguments: Any, **keywords: Any) -> None:
            change(config)
            original(self, config, *arguments, **keywords)

        return prepared

    target.replace(trainer, "__init__", make)
