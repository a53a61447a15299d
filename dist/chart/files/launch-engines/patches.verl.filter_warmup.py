"""#28: data.filter_warmup always raises, in the line before the one that would do it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch
from .trainer_config import MODULE


def _apply(module: ModuleType) -> Outcome:
    trainer = target.member(module, "RayTrainer")
    target.function(trainer, "__init__", ("self", "config"))
    target.function(trainer, "filter", ("self", "reward_tensor", "batch", "n_samples"))
    target.function(trainer, "fit", ("self",), uses=("filter_warmup",))
    target.replace(trainer, "__init__", _taking_over)
    target.replace(trainer, "filter", _keeping_some)
    return APPLIED


def _taking_over(original: target.Function) -> target.Function:
    def made(self: Any, config: Any, *arguments: Any, **keywords: Any) -> None:
        self.keeps_what_no_filter_keeps = config.data.filter_warmup
        config.data.filter_warmup = False
        original(self, config, *arguments, **keywords)

    return made


def _keeping_some(original: target.Function) -> target.Function:
    def filter_(self: Any, reward_tensor: Any, batch: Any, n_samples: int) -> Any:
        kept = original(self, reward_tensor, batch, n_samples)
        return batch if self.keeps_what_no_filter_keeps and len(kept) == 0 else kept

    return filter_


PATCH = Patch(
    name="filter-warmup",
    engines=("verl",),
    modules=(MODULE,),
    discovery="#28",
    about="data.filter_warmup=True raises ValueError; a batch of which the filter keeps nothing is now used as it is.",
    apply=_apply,
)
