"""Group-relative advantages (GRPO, Shao et al., arXiv:2402.03300, section 4.1.2)."""

from __future__ import annotations

from torch import Tensor

_EPSILON = 1e-6


def group_advantages(rewards: Tensor) -> Tensor:
    """Normalises each reward by the mean and the (unbiased) standard deviation of its group.

    A = (r - mean) / (std + 1e-6), as verl computes it. A group whose rewards are all equal gets zeros.

    Args:
        rewards: float [groups, samples], at least 2 samples a group; no groups are no advantages.

    Returns:
        The same shape; every row sums to 0.
    """
    if not len(rewards):
        return rewards.clone()
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    return centered / (rewards.std(dim=1, keepdim=True) + _EPSILON)
