"""#26: actors import flash_attn.bert_padding even when they do not remove padding."""

from __future__ import annotations

import sys
from types import ModuleType

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed
from ..stub import StubModule, unusable

_PACKAGE = "flash_attn"
_MODULE = "flash_attn.bert_padding"
_FUNCTIONS = ("pad_input", "unpad_input", "rearrange", "index_first_axis")


def _padding() -> ModuleType:
    return StubModule(_MODULE, **{name: unusable(f"{_MODULE}.{name}") for name in _FUNCTIONS})


def _apply(module: ModuleType) -> Outcome:
    target.member(module, "unpad_input")
    return APPLIED if isinstance(sys.modules.get(_MODULE), StubModule) else not_needed("flash-attn is installed")


PATCH = Patch(
    name="flash-attn-bert-padding",
    engines=("verl",),
    modules=("verl.workers.actor.dp_actor", "verl.workers.actor.dp_prime", "verl.workers.actor.dp_rob"),
    discovery="#26",
    about="Without flash-attn no actor can be imported, though VLAs use nothing of it; a stub takes its place.",
    apply=_apply,
    stubs={_PACKAGE: lambda: StubModule(_PACKAGE), _MODULE: _padding},
)
