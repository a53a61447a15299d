"""What RLinf v0.3 asserts of the sizes of a whole configuration, after its Ray workers have been placed.

Source: rlinf/config.py, validate_embodied_cfg (environments) and validate_cfg (groups and batches).
"""

from collections.abc import Iterator, Mapping
from typing import Any

_GROUPED = ("grpo", "grpo_dynamic", "reinpp_baseline")
_PLACEMENT = "cluster.component_placement."
_GLOBAL_BATCH = "actor.global_batch_size"
_MICRO_BATCH = "actor.micro_batch_size"
_CHUNKS = "actor.model.num_action_chunks"


def faults(values: Mapping[str, Any], world_size: int) -> Iterator[str]:
    """Sentences on sizes that cannot run; what is no number, or placed on some GPUs only, is left to RLinf.

    Args:
        values: the composed configuration by dotted key.
        world_size: of the run.
    """
    only_eval = values.get("runner.only_eval") is True
    if not only_eval:
        yield from _environments(values, "train", world_size)
        yield from _groups(values)
        yield from _batches(values, world_size)
    if only_eval or _size(values, "runner.val_check_interval", -1) > 0:
        yield from _environments(values, "eval", world_size)


def _environments(values: Mapping[str, Any], part: str, world_size: int) -> Iterator[str]:
    key = f"env.{part}.total_num_envs"
    stages, group = _size(values, "rollout.pipeline_stage_num", 1), _size(values, f"env.{part}.group_size", 1)
    if key in values and _is_on_all(values, "env") and min(stages, group) > 0:
        total = _size(values, key)
        if total % world_size or (of_stage := total // world_size // stages) < 1 or of_stage % group:
            yield (
                f"{key} is {total}, but each of {world_size} ranks takes whole groups of {group} in "
                f"{stages} pipeline stages: {multiples(total, world_size * stages * group)}"
            )
    steps, chunk = f"env.{part}.max_steps_per_rollout_epoch", _size(values, _CHUNKS, 1)
    if steps in values and chunk > 0 and (length := _size(values, steps)) % chunk:
        yield f"{steps} is {length}, which {_CHUNKS}, {chunk}, does not divide: {multiples(length, chunk)}"


def _groups(values: Mapping[str, Any]) -> Iterator[str]:
    kind, group = values.get("algorithm.adv_type"), _size(values, "algorithm.group_size", 2)
    if kind in _GROUPED and group < 2:
        yield f"algorithm.group_size is {group}, but a group of {kind} has at least 2 members"


def _batches(values: Mapping[str, Any], world_size: int) -> Iterator[str]:
    batch, micro = _size(values, _GLOBAL_BATCH), _size(values, _MICRO_BATCH)
    is_sharded = values.get("actor.training_backend") == "fsdp" and _is_on_all(values, "actor")
    if is_sharded and batch and micro > 0 and batch % (micro * world_size):
        yield (
            f"{_GLOBAL_BATCH} is {batch}, but must hold whole micro batches of {micro} on each of {world_size} ranks: "
            f"{multiples(batch, micro * world_size)}"
        )


def _is_on_all(values: Mapping[str, Any], component: str) -> bool:
    """Whether a component has a rank on each of the run's GPUs, as in `actor,env,rollout: all`."""
    return any(
        key.startswith(_PLACEMENT) and component in map(str.strip, key.removeprefix(_PLACEMENT).split(","))
        for key, place in values.items()
        if place == "all"
    )


def _size(values: Mapping[str, Any], key: str, default: int = 0) -> int:
    """A whole number; the default where it is none, as a reference to another key."""
    value = values.get(key)
    return value if type(value) is int else default


def multiples(value: int, of: int) -> str:
    """The nearest valid values, in words."""
    below = value // of * of
    return f"the nearest valid values are {below} and {below + of}" if below > 0 else f"the least is {of}"
