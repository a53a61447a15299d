"""The sizes of a step of the engine `rlinf`, as far as the values name them; the rest is in RLinf's configuration.

RLinf lets E environments act at a time, R rounds a step, and counts batches in forward passes of the policy:

    trajectories a step = E * R      W * group_size | E      W * micro_batch_size | global_batch_size
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlinf_charts.planning.batches import Derived

ENVS = "env.train.total_num_envs"
ROUNDS = "env.train.rollout_epoch"
EVAL_ENVS = "env.eval.total_num_envs"
GROUP = "algorithm.group_size"
GLOBAL = "actor.global_batch_size"
MICRO = "actor.micro_batch_size"
TRAIN = "data.train_batch_size"
SAMPLES = "data.n_samples"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
VALIDATION = "data.val_batch_size"

SIZES = (TRAIN, SAMPLES, MINI, VALIDATION, ENVS, ROUNDS, EVAL_ENVS, GROUP, GLOBAL, MICRO)


def derived_sizes(sizes: Mapping[str, int], world_size: int) -> list[Derived]:
    """What follows from the sizes that are set, in the order of a step."""
    return [
        Derived(name=name, value=total // by if total % by == 0 else total / by, formula=formula)
        for name, total, by, formula in _rows(sizes, world_size)
        if total and by
    ]


def _rows(sizes: Mapping[str, int], world_size: int) -> Iterator[tuple[str, int, int, str]]:
    """Each with what it is a quotient of; 0 stands for what is not known."""

    def size(key: str) -> int:
        return sizes.get(key, 0)

    group = size(GROUP) or size(SAMPLES)
    groups_words = "train_batch_size * n_samples"
    by_groups, by_rounds = size(TRAIN) * size(SAMPLES), size(ENVS) * size(ROUNDS)
    trajectories = by_rounds or by_groups
    yield "trajectories a step", trajectories, 1, "total_num_envs * rollout_epoch" if by_rounds else groups_words
    yield "environments a rank", size(ENVS), world_size, "total_num_envs / world size"
    yield "groups a rank at a time", size(ENVS), world_size * group, "total_num_envs / world size / group_size"
    yield "rounds a step", trajectories, size(ENVS), "trajectories / total_num_envs"
    yield "optimizer updates a step", trajectories, size(MINI), "trajectories / ppo_mini_batch_size"
    yield "forward passes an update and rank", size(GLOBAL), world_size, "global_batch_size / world size"
    yield (
        "accumulated micro batches",
        size(GLOBAL),
        size(MICRO) * world_size,
        "global_batch_size / micro_batch_size / world size",
    )
    validating = size(EVAL_ENVS) or size(VALIDATION)
    yield "validating environments a rank", validating, world_size, "env.eval.total_num_envs / world size"
