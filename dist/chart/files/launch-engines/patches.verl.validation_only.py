"""trainer.val_only is read only inside the validation before training."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..patch import APPLIED, Outcome, Patch
from .trainer_config import MODULE, prepare


def _validate_first(config: Any) -> None:
    if config.trainer.val_only:
        config.trainer.val_before_train = True


def _apply(module: ModuleType) -> Outcome:
    prepare(module, _validate_first, fit_uses=("val_only", "val_before_train"))
    return APPLIED


PATCH = Patch(
    name="validation-only",
    engines=("verl",),
    modules=(MODULE,),
    about="trainer.val_only=True trains nevertheless when val_before_train is False; it now implies val_before_train.",
    apply=_apply,
)
