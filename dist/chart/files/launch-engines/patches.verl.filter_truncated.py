"""#28: data.filter_truncated takes a prompt's attention mask for a response's."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..patch import APPLIED, Outcome, Patch
from .trainer_config import MODULE, prepare


def _refuse(config: Any) -> None:
    if config.data.filter_truncated:
        raise ValueError(
            "data.filter_truncated is True, but must be False: it measures texts, and would keep or drop a "
            "VLA's rollouts by the length of their prompts. Filter by data.filter_accuracy instead"
        )


def _apply(module: ModuleType) -> Outcome:
    prepare(module, _refuse, fit_uses=("filter_truncated",))
    return APPLIED


PATCH = Patch(
    name="filter-truncated",
    engines=("verl",),
    modules=(MODULE,),
    discovery="#28",
    about="data.filter_truncated=True filters rollouts by the length of their prompts; it is refused with the reason.",
    apply=_apply,
)
