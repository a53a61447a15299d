"""Numbers of `training.hydra` that must fit the ranks and each other, whichever engine reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlinf_charts.names import values
from rlinf_charts.run import WORLD_SIZE
from rlinf_charts.values.hydra import NativeHydra
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Helper, Kind, Operand, Rule, call, fmt

TRAIN = "data.train_batch_size"
SAMPLES = "data.n_samples"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"
ROLLOUT_LOG_PROB = "actor_rollout_ref.rollout.log_prob_micro_batch_size"
REF_LOG_PROB = "actor_rollout_ref.ref.log_prob_micro_batch_size"

LOG_PROB = Helper(
    name="rlinf.verlLogProbBatch",
    body=call("max", helm.Literal(32) // WORLD_SIZE, 1) * WORLD_SIZE,
    about="Episodes that the engine verl scores at a time: 32, as near as it comes to a multiple of ranks.",
)

# What an engine takes where the user says nothing; its module in the bootstrap has the same.
VERL_SIZES: Mapping[str, Operand] = {
    TRAIN: 64,
    SAMPLES: 8,
    MINI: 128,
    ROLLOUT_LOG_PROB: LOG_PROB,
    REF_LOG_PROB: LOG_PROB,
}


def setting(key: str, default: Operand, kind: Kind) -> Expression:
    """The user's value for a key of the engine, or a default."""
    return call("dig", *key.split("."), default, values.training.hydra, kind=kind)


def number(key: str, default: Operand = 0) -> Expression:
    """The user's whole number for a key of the engine, or a default."""
    return call("int64", setting(key, default, Kind.INTEGER))


def hydra_number(engine: str, key: str) -> Expression:
    """The user's number for a key of the engine, or the engine's default."""
    return number(key, _native_default(key) if engine == "native" else VERL_SIZES[key])


def _native_default(key: str) -> Any:
    value: Any = NativeHydra()
    for part in key.split("."):
        value = getattr(value, part)
    return value


def is_engine(name: str) -> Expression:
    """Whether this engine trains."""
    return values.training.engine.equals(name)


def nearest_multiples(value: Expression, of: Operand) -> Expression:
    """The multiples around a value, or the least one."""
    below = value // of * of
    return helm.conditional(below > 0, fmt(below, " and ", below + of), fmt(helm.Literal(0) + of))


def multiple_of_ranks(engine: str, words: str, value: Expression) -> Rule:
    """A number that is divided among the ranks."""
    return Rule(
        broken=is_engine(engine) & (value % WORLD_SIZE).differs(0),
        message=fmt(
            f"{words} is ",
            value,
            ", which is divided among ",
            WORLD_SIZE,
            " ranks (nodes.count * GPUs of a node, one a node without): the nearest valid values are ",
            nearest_multiples(value, WORLD_SIZE),
        ),
    )


def multiple_of_key(engine: str, words: str, total: Expression, key: str, size: Expression) -> Rule:
    """A number of things that come in batches of the key's value."""
    return Rule(
        broken=is_engine(engine) & (size > 0) & (total % size).differs(0),
        message=fmt(
            f"{words} is ",
            total,
            f", which training.hydra.{key}, ",
            size,
            ", does not divide: the nearest that it divides are ",
            nearest_multiples(total, size),
        ),
    )


def mini_batches_fill_a_step(engine: str) -> Rule:
    """The trajectories of a step come in whole mini batches."""
    trajectories = hydra_number(engine, TRAIN) * hydra_number(engine, SAMPLES)
    words = f"training.hydra.{TRAIN} * training.hydra.{SAMPLES}"
    return multiple_of_key(engine, words, trajectories, MINI, hydra_number(engine, MINI))


def _native_multiple(key: str) -> Rule:
    return multiple_of_ranks("native", f"training.hydra.{key}", hydra_number("native", key))


NATIVE = [
    _native_multiple(TRAIN),
    _native_multiple(MICRO),
    _native_multiple("sft.batch_size"),
    mini_batches_fill_a_step("native"),
    multiple_of_key(
        "native", f"training.hydra.{MINI}", hydra_number("native", MINI), MICRO, hydra_number("native", MICRO)
    ),
]
