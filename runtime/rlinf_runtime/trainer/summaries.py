"""What ranks tell the controller: a few numbers a step. Plain data, so that the controller needs no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RolloutSummary:
    """What one rank's rollout tells the controller.

    Example: `RolloutSummary(num_episodes=64, num_successes=30, num_groups=8, num_groups_kept=6, num_env_steps=700)`.
    """

    num_episodes: int
    num_successes: int
    num_groups: int
    num_groups_kept: int
    num_env_steps: int

    @property
    def success_rate(self) -> float:
        """Share of the episodes that succeeded; 0 when there were none."""
        return self.num_successes / max(self.num_episodes, 1)

    def __add__(self, other: RolloutSummary) -> RolloutSummary:
        return RolloutSummary(
            num_episodes=self.num_episodes + other.num_episodes,
            num_successes=self.num_successes + other.num_successes,
            num_groups=self.num_groups + other.num_groups,
            num_groups_kept=self.num_groups_kept + other.num_groups_kept,
            num_env_steps=self.num_env_steps + other.num_env_steps,
        )


@dataclass(frozen=True, slots=True)
class UpdateSummary:
    """What one rank's update tells the controller; the first three are this rank's parts of sums over ranks."""

    pg_loss: float
    clip_fraction: float
    approx_kl: float
    grad_norm: float
    learning_rate: float
    num_optimizer_steps: int
