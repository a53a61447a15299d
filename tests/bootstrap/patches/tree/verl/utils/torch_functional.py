"""Log-probabilities, by flash-attn where it is installed; the flag is spelt as upstream spells it."""

import numpy as np

try:
    from flash_attn.ops.triton.cross_entropy import cross_entropy_loss

    FLAH_ATTN_CROSS_ENTROPY_LOSS_AVAILABLE = True
except ImportError:
    FLAH_ATTN_CROSS_ENTROPY_LOSS_AVAILABLE = False


def logprobs_from_logits(logits, labels):
    if FLAH_ATTN_CROSS_ENTROPY_LOSS_AVAILABLE:
        return -cross_entropy_loss(logits, labels)[0].reshape(logits.shape[:-1])
    return logprobs_from_logits_naive(logits, labels)


def logprobs_from_logits_naive(logits, labels):
    normalised = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return np.take_along_axis(normalised, labels[..., None], -1)[..., 0]
