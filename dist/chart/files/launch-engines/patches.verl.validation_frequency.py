"""trainer.test_freq: 0 divides by zero, and -1, the default, validates after every step."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from ..patch import APPLIED, Outcome, Patch
from .trainer_config import MODULE, prepare


def _never(config: Any) -> None:
    if config.trainer.test_freq <= 0:
        # No step number is a multiple of it.
        config.trainer.test_freq = sys.maxsize


def _apply(module: ModuleType) -> Outcome:
    prepare(module, _never, fit_uses=("test_freq",))
    return APPLIED


PATCH = Patch(
    name="validation-frequency",
    engines=("verl",),
    modules=(MODULE,),
    about="trainer.test_freq=0 crashes and -1 validates at every step; both now mean never, as save_freq has it.",
    apply=_apply,
)
