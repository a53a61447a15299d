"""One rank's rollouts of a step: groups of episodes that start alike, of which those that teach something are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from rlinf_runtime.trainer.advantages import group_advantages
from rlinf_runtime.trainer.episodes import Split, episodes
from rlinf_runtime.trainer.randomness import Purpose, make_generator
from rlinf_runtime.trainer.rollout import roll_out, sampled
from rlinf_runtime.trainer.sampling import informative_groups
from rlinf_runtime.trainer.summaries import RolloutSummary
from rlinf_runtime.trainer.trajectories import Trajectories, join
from rlinf_runtime.trainer.update import TrainingBatch

if TYPE_CHECKING:
    from rlinf_runtime.trainer.config.schema import Config
    from rlinf_runtime.trainer.environments import Environments
    from rlinf_runtime.trainer.policy import Policy


class GroupSampler:
    """Bounded dynamic sampling (DAPO, arXiv:2503.14476, 3.2): dropped groups are replaced, but not for ever."""

    def __init__(
        self, policy: Policy, environments: Environments, config: Config, *, rank: int, device: torch.device
    ) -> None:
        self._policy = policy
        self._environments = environments
        self._config = config
        self._rank = rank
        self._device = device
        self._num_groups = config.data.train_batch_size // config.trainer.world_size

    def sample(self, step: int) -> tuple[TrainingBatch, RolloutSummary]:
        """Rolls out until this rank's share of kept groups is full, in at most `data.max_num_gen_batches` rounds.

        Args:
            step: the GRPO step; it decides the episodes and the draws.

        Returns:
            The kept trajectories with their advantages, at most this rank's share of groups, and a summary of all.
        """
        generator = make_generator(
            self._config.trainer.seed, Purpose.ACTIONS, step=step, rank=self._rank, device=self._device
        )
        kept: list[Trajectories] = []
        summary = RolloutSummary(num_episodes=0, num_successes=0, num_groups=0, num_groups_kept=0, num_env_steps=0)
        for round_index in range(self._config.data.max_num_gen_batches):
            trajectories = self._roll_out(self._first_episode(step, round_index), generator)
            groups = self._kept_groups(trajectories)
            kept.append(trajectories.select(self._members(groups)))
            summary += RolloutSummary(
                num_episodes=len(trajectories.success),
                num_successes=int(trajectories.success.sum()),
                num_groups=self._num_groups,
                num_groups_kept=len(groups),
                num_env_steps=trajectories.num_env_steps,
            )
            if summary.num_groups_kept >= self._num_groups:
                break
        return self._training_batch(join(kept)), summary

    def _first_episode(self, step: int, round_index: int) -> int:
        """No other step, round or rank uses the episodes from here on."""
        data = self._config.data
        rounds_before = step * data.max_num_gen_batches + round_index
        return rounds_before * data.train_batch_size + self._rank * self._num_groups

    def _roll_out(self, first_episode: int, generator: torch.Generator) -> Trajectories:
        data = self._config.data
        temperature = self._config.actor_rollout_ref.rollout.temperature
        starts = episodes(
            Split.TRAINING,
            data.suite,
            run_seed=self._config.trainer.seed,
            indices=range(first_episode, first_episode + self._num_groups),
        )
        return roll_out(
            self._policy,
            self._environments,
            [start for start in starts for _ in range(data.n_samples)],
            choose=sampled(temperature=temperature, generator=generator),
            temperature=temperature,
            device=self._device,
        )

    def _kept_groups(self, trajectories: Trajectories) -> list[int]:
        data = self._config.data
        success = trajectories.success.reshape(-1, data.n_samples)
        if not data.filter_accuracy:
            return list(range(len(success)))
        kept = informative_groups(success, lower=data.accuracy_lower_bound, upper=data.accuracy_upper_bound)
        return [int(group) for group in np.flatnonzero(kept)]

    def _members(self, groups: list[int]) -> torch.Tensor:
        """The episodes of the groups, int64 [groups * n_samples]."""
        num_samples = self._config.data.n_samples
        members = [group * num_samples + sample for group in groups for sample in range(num_samples)]
        return torch.tensor(members, dtype=torch.long)

    def _training_batch(self, trajectories: Trajectories) -> TrainingBatch:
        rewards = torch.from_numpy(trajectories.success).float().view(-1, self._config.data.n_samples)
        batch = TrainingBatch(trajectories, group_advantages(rewards).flatten())
        return batch.select(self._members(list(range(min(len(rewards), self._num_groups)))))
