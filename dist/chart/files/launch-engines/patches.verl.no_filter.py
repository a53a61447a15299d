"""#28: without a filter the training loop uses a variable that was never assigned."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..patch import APPLIED, Outcome, Patch
from .trainer_config import MODULE, prepare


def _filter_that_keeps_all(config: Any) -> None:
    data = config.data
    if not data.filter_accuracy and not data.filter_truncated:
        data.filter_accuracy, data.accuracy_lower_bound, data.accuracy_upper_bound = True, 0.0, 1.0


def _apply(module: ModuleType) -> Outcome:
    prepare(module, _filter_that_keeps_all, fit_uses=("filter_accuracy", "filter_truncated", "filtered_roll_batch"))
    return APPLIED


PATCH = Patch(
    name="no-filter",
    engines=("verl",),
    modules=(MODULE,),
    discovery="#28",
    about="data.filter_accuracy=False ends in UnboundLocalError; it becomes a filter from 0 to 1, which keeps all.",
    apply=_apply,
)
