"""The policy update: a few optimizer steps on a step's kept trajectories.

Ranks hold different numbers of trajectories but take the same optimizer steps and the same micro-batches, since every
forward and backward pass is collective; a rank that has run out takes part with an empty micro-batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from rlinf_runtime.trainer.loss import PolicyLoss, finish_mask, policy_loss, trajectory_mean_weights
from rlinf_runtime.trainer.policy import PolicyInput, token_log_probs
from rlinf_runtime.trainer.summaries import UpdateSummary
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN
from rlinf_runtime.trainer.trajectories import Trajectories

if TYPE_CHECKING:
    from torch import Tensor

    from rlinf_runtime.trainer.config.schema import ActorConfig
    from rlinf_runtime.trainer.sharded_policy import ShardedPolicy


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """One rank's kept trajectories and the advantage of each."""

    trajectories: Trajectories
    advantages: Tensor  # float32 [E]

    def __len__(self) -> int:
        return len(self.advantages)

    def select(self, episodes: Tensor) -> TrainingBatch:
        """The given trajectories, int64 [K]."""
        return TrainingBatch(self.trajectories.select(episodes), self.advantages[episodes])


class Updater:
    """Runs the updates of one rank."""

    def __init__(
        self, policy: ShardedPolicy, config: ActorConfig, *, rank: int, temperature: float, device: torch.device
    ) -> None:
        self._policy = policy
        self._config = config
        self._rank = rank
        self._temperature = temperature
        self._device = device

    def update(
        self, batch: TrainingBatch, sizes: list[list[int]], *, lr: float, generator: torch.Generator
    ) -> UpdateSummary:
        """Takes `ppo_epochs` passes over the batch.

        Args:
            batch: what this rank kept.
            sizes: trajectories of every mini-batch, by rank (`sampling.mini_batch_sizes`).
            lr: the learning rate of this step.
            generator: orders the trajectories.
        """
        parts: list[PolicyLoss] = []
        norms: list[float] = []
        for _ in range(self._config.ppo_epochs):
            order = torch.randperm(len(batch), generator=generator)
            mini_batches = torch.split(order, sizes[self._rank])
            for index, episodes in enumerate(mini_batches):
                parts += self._accumulate(batch, episodes, [of_rank[index] for of_rank in sizes])
                norms.append(self._policy.step(lr=lr, grad_clip=self._config.grad_clip))
        num_steps = len(norms)
        return UpdateSummary(
            pg_loss=sum(part.loss.item() for part in parts) / max(num_steps, 1),
            clip_fraction=sum(part.clip_fraction.item() for part in parts) / max(num_steps, 1),
            approx_kl=sum(part.approx_kl.item() for part in parts) / max(num_steps, 1),
            grad_norm=float(np.mean(norms)) if norms else 0.0,
            learning_rate=lr,
            num_optimizer_steps=num_steps,
        )

    def _accumulate(self, batch: TrainingBatch, episodes: Tensor, sizes: list[int]) -> list[PolicyLoss]:
        """Adds up the gradient of one mini-batch, micro-batch by micro-batch."""
        micro_size = self._config.ppo_micro_batch_size // len(sizes)
        num_micro_batches = -(-max(sizes) // micro_size)
        parts: list[PolicyLoss] = []
        for index in range(num_micro_batches):
            mine = episodes[index * micro_size : (index + 1) * micro_size]
            part = self._loss(batch.select(mine), num_trajectories=sum(sizes))
            self._policy.backward(part.loss, is_last=index == num_micro_batches - 1)
            parts.append(part)
        return parts

    def _loss(self, batch: TrainingBatch, *, num_trajectories: int) -> PolicyLoss:
        chunks = batch.trajectories
        if not len(chunks.tokens):
            return self._empty_loss()
        logits = self._policy(chunks.inputs.to(self._device))
        mask = finish_mask(
            chunks.executed_steps,
            chunk_len=chunks.tokens.shape[1] // ACTION_TOKEN_LEN,
            action_token_len=ACTION_TOKEN_LEN,
        )
        weights = trajectory_mean_weights(mask, chunks.episode, num_trajectories=num_trajectories)
        return policy_loss(
            log_probs=token_log_probs(logits, chunks.tokens.to(self._device), temperature=self._temperature),
            old_log_probs=chunks.log_probs.to(self._device),
            advantages=batch.advantages[chunks.episode].to(self._device),
            weights=weights.to(self._device),
            clip_ratio_low=self._config.clip_ratio_low,
            clip_ratio_high=self._config.clip_ratio_high,
        )

    def _empty_loss(self) -> PolicyLoss:
        logits = self._policy(PolicyInput.blank().to(self._device))
        zero = torch.zeros((), device=self._device)
        return PolicyLoss(loss=logits.sum() * 0.0, clip_fraction=zero, approx_kl=zero)
