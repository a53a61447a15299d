"""Behaviour cloning of demonstrations: cross-entropy against smoothed action bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from rlinf_runtime.trainer.action_tokens import NUM_BINS, bin_centers
from rlinf_runtime.trainer.policy import PolicyInput
from rlinf_runtime.trainer.randomness import Purpose, make_generator

if TYPE_CHECKING:
    from rlinf_runtime.trainer.config.schema import SftConfig
    from rlinf_runtime.trainer.environments import Demonstrations
    from rlinf_runtime.trainer.sharded_policy import ShardedPolicy

_BETAS = (0.9, 0.999)
_WEIGHT_DECAY = 0.01
_GRAD_CLIP = 0.3


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


class Imitator:
    """The SFT steps of one rank on its own share of the demonstrations."""

    def __init__(
        self,
        policy: ShardedPolicy,
        demonstrations: Demonstrations,
        config: SftConfig,
        *,
        run_seed: int,
        rank: int,
        num_ranks: int,
        device: torch.device,
    ) -> None:
        """Begins the phase with a fresh optimizer."""
        self._policy = policy
        self._inputs = PolicyInput(
            images=torch.from_numpy(demonstrations.images),
            tips=torch.from_numpy(demonstrations.tips),
            instructions=torch.from_numpy(demonstrations.instructions),
        )
        self._actions = torch.from_numpy(demonstrations.actions).flatten(1)
        self._config = config
        self._run_seed = run_seed
        self._rank = rank
        self._num_ranks = num_ranks
        self._device = device
        policy.begin_phase(lr=config.lr, betas=_BETAS, weight_decay=_WEIGHT_DECAY)

    def take_steps(self, first: int, last: int) -> float:
        """Takes the steps first ... last - 1; returns the loss of the last one on this rank."""
        loss = torch.zeros(())
        for step in range(first, last):
            rows = self._draw_rows(step)
            logits = self._policy(self._inputs[rows].to(self._device))
            actions = self._actions[rows].to(self._device)
            loss = imitation_loss(logits, actions, smoothing_bins=self._config.smoothing_bins)
            self._policy.backward(loss / self._num_ranks, is_last=True)
            self._policy.step(lr=self._config.lr * (1.0 - step / self._config.steps), grad_clip=_GRAD_CLIP)
        return loss.item()

    def _draw_rows(self, step: int) -> Tensor:
        generator = make_generator(self._run_seed, Purpose.IMITATION_BATCHES, step=step, rank=self._rank)
        return torch.randint(len(self._inputs), (self._config.batch_size // self._num_ranks,), generator=generator)
