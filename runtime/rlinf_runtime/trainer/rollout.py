"""Rollouts: the policy acts in a batch of environments until every episode has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from rlinf_runtime.trainer.action_tokens import decode
from rlinf_runtime.trainer.language import tokenize
from rlinf_runtime.trainer.policy import PolicyInput, sample_tokens, token_log_probs
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN
from rlinf_runtime.trainer.trajectories import Trajectories, concatenate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from torch import Tensor

    from rlinf_runtime.trainer.environments import Environments, Observations
    from rlinf_runtime.trainer.episodes import Episode
    from rlinf_runtime.trainer.policy import Policy

    Choice = Callable[[Tensor], Tensor]
    """Chooses tokens, int64 [B, T], from logits [B, T, bins]."""


def greedy(logits: Tensor) -> Tensor:
    """Chooses the most likely tokens."""
    return logits.argmax(dim=-1)


def sampled(*, temperature: float, generator: torch.Generator) -> Choice:
    """Draws tokens at a temperature."""
    return lambda logits: sample_tokens(logits, temperature=temperature, generator=generator)


@torch.no_grad()
def roll_out(
    policy: Policy,
    environments: Environments,
    episodes: list[Episode],
    *,
    choose: Choice,
    temperature: float,
    device: torch.device,
) -> Trajectories:
    """Runs the episodes side by side; those that end leave the batch, so no forward pass is wasted on them.

    Args:
        policy: an unsharded policy on `device`.
        environments: where the episodes run.
        episodes: what to run.
        choose: `greedy` or `sampled(...)`.
        temperature: of the log-probabilities that are recorded.
        device: where the policy computes.
    """
    instructions = torch.from_numpy(np.stack([tokenize(episode.task.instruction) for episode in episodes]))
    observations = environments.reset(episodes)
    active = np.arange(len(episodes))
    success = np.zeros(len(episodes), dtype=np.bool_)
    chunks: list[Trajectories] = []
    while len(active):
        inputs = _policy_input(observations, instructions[active])
        logits = policy(inputs.to(device))
        tokens = choose(logits)
        log_probs = token_log_probs(logits, tokens, temperature=temperature)
        result = environments.step(active, _actions(tokens))
        chunks.append(
            Trajectories(
                inputs=inputs,
                tokens=tokens.cpu(),
                log_probs=log_probs.cpu(),
                executed_steps=torch.from_numpy(result.num_steps),
                episode=torch.from_numpy(active),
                success=success,
            )
        )
        success[active] = result.success
        active = active[~result.finished]
        observations = result.observations
    return concatenate(chunks, success)


def _policy_input(observations: Observations, instructions: Tensor) -> PolicyInput:
    return PolicyInput(
        images=torch.from_numpy(observations.images),
        tips=torch.from_numpy(observations.tips),
        instructions=instructions,
    )


def _actions(tokens: Tensor) -> NDArray[np.float32]:
    """Maps tokens [B, chunk * 3] to actions [B, chunk, 3]."""
    return decode(tokens).view(len(tokens), -1, ACTION_TOKEN_LEN).cpu().numpy()
