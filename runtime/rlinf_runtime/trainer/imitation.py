"""Behaviour cloning of demonstrations: cross-entropy against smoothed action bins."""

from __future__ import annotations

import torch
from torch import Tensor

from rlinf_runtime.trainer.action_tokens import NUM_BINS, bin_centers


def smoothed_targets(actions: Tensor, *, smoothing_bins: float) -> Tensor:
    """Spreads every action over the bins around it by a Gaussian of `smoothing_bins` bins.

    The spread becomes the exploration noise of the policy, without which GRPO has nothing to compare.

    Args:
        actions: in [-1, 1], any shape [...].
        smoothing_bins: standard deviation in bins, above 0.

    Returns:
        Probabilities [..., NUM_BINS] that sum to 1.
    """
    deviation = smoothing_bins * 2.0 / NUM_BINS
    distance = (bin_centers(actions.device) - actions.clamp(-1.0, 1.0).unsqueeze(-1)) / deviation
    return torch.softmax(-0.5 * distance.square(), dim=-1)


def imitation_loss(logits: Tensor, actions: Tensor, *, smoothing_bins: float) -> Tensor:
    """Mean cross-entropy of logits [B, T, bins] against the smoothed actions [B, T]; a scalar."""
    targets = smoothed_targets(actions, smoothing_bins=smoothing_bins)
    return -(targets * torch.log_softmax(logits, dim=-1)).sum(dim=-1).mean()
