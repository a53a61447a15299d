"""#26: flash-attn's Triton cross entropy returns one number for all action tokens."""

from __future__ import annotations

from types import ModuleType

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed

_FLAG = "FLAH_ATTN_CROSS_ENTROPY_LOSS_AVAILABLE"


def _apply(module: ModuleType) -> Outcome:
    # The flag is read at each call, so clearing it after the import is enough.
    target.function(module, "logprobs_from_logits", ("logits", "labels"), uses=(_FLAG, "logprobs_from_logits_naive"))
    if not target.member(module, _FLAG):
        return not_needed("flash-attn has no cross entropy here")
    setattr(module, _FLAG, False)
    return APPLIED


PATCH = Patch(
    name="flash-attn-cross-entropy",
    engines=("verl",),
    modules=("verl.utils.torch_functional",),
    discovery="#26",
    about="flash-attn's cross entropy gives log-probabilities of a wrong shape; PyTorch's log_softmax is used.",
    apply=_apply,
)
