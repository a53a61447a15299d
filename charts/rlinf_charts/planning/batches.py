"""The batch sizes of a step: what follows from those that the user set, and the nearest valid ones.

All sizes are over all ranks, as in Hydra. For the engine `native` the rules ask (W: the world size):

    W | train_batch_size      W | micro      W | sft      micro | mini      mini | train_batch_size * n_samples

and for `verl`, whose micro batch is one trajectory a rank:

    W | mini      W | log_prob_micro (rollout, ref)      mini | train_batch_size * n_samples
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

TRAIN = "data.train_batch_size"
SAMPLES = "data.n_samples"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"
SFT = "sft.batch_size"
ROLLOUT_LOG_PROB = "actor_rollout_ref.rollout.log_prob_micro_batch_size"
REF_LOG_PROB = "actor_rollout_ref.ref.log_prob_micro_batch_size"

SIZES = {
    "native": (TRAIN, SAMPLES, MINI, MICRO, SFT),
    "verl": (TRAIN, SAMPLES, MINI, ROLLOUT_LOG_PROB, REF_LOG_PROB),
}


@dataclass(frozen=True, kw_only=True)
class Derived:
    """A size that follows from others.

    Attributes:
        name: for people and programs.
        value: a fraction where sizes do not divide.
        formula: how it is computed.
    """

    name: str
    value: float
    formula: str


def derived_sizes(engine: str, sizes: Mapping[str, int], world_size: int) -> list[Derived]:
    """Everything that follows from the sizes, in the order of a step."""
    trajectories = sizes[TRAIN] * sizes[SAMPLES]
    micro = sizes.get(MICRO, world_size)
    rows = [
        ("trajectories a step", trajectories, 1, "train_batch_size * n_samples"),
        ("groups a rank", sizes[TRAIN], world_size, "train_batch_size / world size"),
        ("trajectories a rank", trajectories, world_size, "train_batch_size * n_samples / world size"),
        ("optimizer updates a step", trajectories, sizes[MINI], "trajectories / ppo_mini_batch_size"),
        ("mini batch a rank", sizes[MINI], world_size, "ppo_mini_batch_size / world size"),
        ("micro batch a rank", micro, world_size, "ppo_micro_batch_size / world size"),
        ("accumulated micro batches", sizes[MINI], micro, "ppo_mini_batch_size / ppo_micro_batch_size"),
    ]
    if engine == "native":
        rows += [("SFT states a rank", sizes[SFT], world_size, "sft.batch_size / world size")]
    else:
        rows += [
            ("rollout log-prob batch a rank", sizes[ROLLOUT_LOG_PROB], world_size, "its size / world size"),
            ("reference log-prob batch a rank", sizes[REF_LOG_PROB], world_size, "its size / world size"),
        ]
    return [
        Derived(name=name, value=total // by if total % by == 0 else total / by, formula=formula)
        for name, total, by, formula in rows
    ]


def nearest_sizes(engine: str, sizes: Mapping[str, int], world_size: int) -> dict[str, int]:
    """Sizes that hold together and change as little as possible, by the sum of their ratios; n_samples stays."""
    candidates = _native(sizes, world_size) if engine == "native" else _verl(sizes, world_size)
    return min(candidates, key=lambda found: sum(abs(math.log2(found[key] / sizes[key])) for key in found))


def _native(sizes: Mapping[str, int], world_size: int) -> Iterator[dict[str, int]]:
    sft = _nearest_multiple(sizes[SFT], world_size)
    for train, mini in _train_and_mini(sizes, world_size):
        micro = min(_divisors(mini, world_size), key=lambda it: abs(math.log2(it / sizes[MICRO])))
        yield {TRAIN: train, MINI: mini, MICRO: micro, SFT: sft}


def _verl(sizes: Mapping[str, int], world_size: int) -> Iterator[dict[str, int]]:
    log_prob = {key: _nearest_multiple(sizes[key], world_size) for key in (ROLLOUT_LOG_PROB, REF_LOG_PROB)}
    for train, mini in _train_and_mini(sizes, world_size):
        yield {TRAIN: train, MINI: mini, **log_prob}


def _train_and_mini(sizes: Mapping[str, int], world_size: int) -> Iterator[tuple[int, int]]:
    """Whole groups for each rank, and mini batches that divide the trajectories."""
    low, high = sizes[TRAIN] // 2 // world_size, sizes[TRAIN] * 2 // world_size
    for groups in range(max(low, 1), max(high, 1) + 1):
        train = groups * world_size
        for mini in _divisors(train * sizes[SAMPLES], world_size):
            yield train, mini


def _divisors(total: int, of: int) -> list[int]:
    """Divisors of the total that are multiples of `of`, which divides it."""
    share = total // of
    small = [it for it in range(1, math.isqrt(share) + 1) if share % it == 0]
    return sorted({it * of for it in (*small, *(share // it for it in small))})


def _nearest_multiple(value: int, of: int) -> int:
    return max(round(value / of), 1) * of
