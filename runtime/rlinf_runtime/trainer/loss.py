"""The policy-gradient loss: PPO's clipped objective with asymmetric bounds, averaged as SimpleVLA-RL does."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class PolicyLoss:
    """The loss and its metrics. All are weighted sums: adding them over micro-batches and ranks gives the whole."""

    loss: Tensor  # scalar, with gradient
    clip_fraction: Tensor  # scalar, the weight of the tokens whose gradient the clip removed
    approx_kl: Tensor  # scalar, mean of old_log_prob - log_prob


def finish_mask(executed_steps: Tensor, *, chunk_len: int, action_token_len: int) -> Tensor:
    """Marks the action tokens that were executed before the episode ended.

    Args:
        executed_steps: int [B], control steps that each chunk executed.
        chunk_len: control steps that a chunk plans.
        action_token_len: tokens of one action.

    Returns:
        bool [B, chunk_len * action_token_len].
    """
    positions = torch.arange(chunk_len * action_token_len, device=executed_steps.device)
    return positions < (executed_steps * action_token_len).unsqueeze(1)


def trajectory_mean_weights(mask: Tensor, trajectory: Tensor, *, num_trajectories: int) -> Tensor:
    """Weights by which a sum over tokens is the mean over trajectories of the mean over each one's tokens.

    So a long failure and a short success count the same. Every trajectory's chunks must be in the batch together.

    Args:
        mask: bool [B, T], the tokens that count.
        trajectory: int [B], which trajectory each chunk belongs to.
        num_trajectories: trajectories of the whole mini-batch, over all micro-batches and ranks.

    Returns:
        float [B, T]; over the mini-batch they sum to 1.
    """
    tokens_of_chunk = mask.sum(dim=1)
    size = int(trajectory.max()) + 1 if len(trajectory) else 0
    tokens = torch.zeros(size, dtype=torch.long, device=mask.device).index_add_(0, trajectory, tokens_of_chunk)
    return mask / (tokens[trajectory].clamp(min=1) * num_trajectories).unsqueeze(1)


def policy_loss(
    *,
    log_probs: Tensor,
    old_log_probs: Tensor,
    advantages: Tensor,
    weights: Tensor,
    clip_ratio_low: float,
    clip_ratio_high: float,
) -> PolicyLoss:
    """Computes sum(weights * max(-A * ratio, -A * clip(ratio, 1 - low, 1 + high))).

    The upper bound may be wider than the lower ("clip higher", DAPO, arXiv:2503.14476, 3.1): it lets unlikely good
    actions grow. There is no KL term.

    Args:
        log_probs: of the chosen tokens under the policy that is trained, [B, T].
        old_log_probs: of the same tokens under the policy that chose them, [B, T].
        advantages: one a chunk, [B].
        weights: from `trajectory_mean_weights`, [B, T].
        clip_ratio_low: how far below 1 the ratio may pull.
        clip_ratio_high: how far above 1 the ratio may pull.
    """
    log_ratio = log_probs - old_log_probs
    ratio = log_ratio.exp()
    gain = advantages.unsqueeze(1)
    unclipped = -gain * ratio
    clipped = -gain * ratio.clamp(1.0 - clip_ratio_low, 1.0 + clip_ratio_high)
    return PolicyLoss(
        loss=(weights * torch.maximum(unclipped, clipped)).sum(),
        clip_fraction=(weights * (clipped > unclipped)).sum().detach(),
        approx_kl=-(weights * log_ratio).sum().detach(),
    )
