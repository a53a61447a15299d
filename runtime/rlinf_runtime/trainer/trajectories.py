"""Records of what rollouts did. They stay on the rank that made them; `summaries.py` has what leaves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from rlinf_runtime.trainer.action_tokens import decode
from rlinf_runtime.trainer.policy import PolicyInput
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Trajectories:
    """N chunks of E episodes, mixed, each episode's own in their order; `episode` says whose a chunk is."""

    inputs: PolicyInput  # of N chunks
    tokens: Tensor  # int64 [N, T]
    log_probs: Tensor  # float32 [N, T], under the policy that chose the tokens
    executed_steps: Tensor  # int64 [N], control steps before the episode ended
    episode: Tensor  # int64 [N], index into `success`
    success: NDArray[np.bool_]  # [E]

    @property
    def num_env_steps(self) -> int:
        """Control steps that were simulated."""
        return int(self.executed_steps.sum())

    def executed_actions(self, episode: int) -> NDArray[np.float32]:
        """The actions that one episode executed, in their order, [steps, 3]."""
        rows = torch.nonzero(self.episode == episode).squeeze(1)  # the chunks of an episode are in their order
        actions = decode(self.tokens[rows]).view(len(rows), -1, ACTION_TOKEN_LEN)
        return np.concatenate(
            [chunk[:count].numpy() for chunk, count in zip(actions, self.executed_steps[rows].tolist(), strict=True)]
        )

    def select(self, episodes: Tensor) -> Trajectories:
        """The chunks of the given episodes (int64 [K]), renumbered 0 ... K - 1 in their order."""
        new_index = torch.full((len(self.success),), -1, dtype=torch.long)
        new_index[episodes] = torch.arange(len(episodes))
        rows = torch.nonzero(new_index[self.episode] >= 0).squeeze(1)
        return Trajectories(
            inputs=self.inputs[rows],
            tokens=self.tokens[rows],
            log_probs=self.log_probs[rows],
            executed_steps=self.executed_steps[rows],
            episode=new_index[self.episode[rows]],
            success=self.success[episodes.numpy()],
        )


def concatenate(parts: list[Trajectories], success: NDArray[np.bool_]) -> Trajectories:
    """Joins parts that number their episodes alike."""
    return Trajectories(
        inputs=PolicyInput(
            images=torch.cat([part.inputs.images for part in parts]),
            tips=torch.cat([part.inputs.tips for part in parts]),
            instructions=torch.cat([part.inputs.instructions for part in parts]),
        ),
        tokens=torch.cat([part.tokens for part in parts]),
        log_probs=torch.cat([part.log_probs for part in parts]),
        executed_steps=torch.cat([part.executed_steps for part in parts]),
        episode=torch.cat([part.episode for part in parts]),
        success=success,
    )


def join(parts: list[Trajectories]) -> Trajectories:
    """Joins rollouts of different episodes, renumbered one after the other."""
    offsets = np.cumsum([0, *(len(part.success) for part in parts)])
    renumbered = [
        replace(part, episode=part.episode + int(offset)) for part, offset in zip(parts, offsets, strict=False)
    ]
    return concatenate(renumbered, np.concatenate([part.success for part in parts]))
