"""A plan: everything that follows from a run's values before it takes a node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rlinf_charts.instances import Instance
from rlinf_charts.planning import batches, memory, rlinf_batches
from rlinf_charts.planning.batches import Derived
from rlinf_charts.planning.memory import MemoryEstimate
from rlinf_charts.rules.batches import hydra_number, number
from rlinf_charts.rules.catalog import RULES
from rlinf_charts.run import RUN, WORLD_SIZE
from rlinf_constructs.helm import Environment, rules


class PlanError(ValueError):
    """Values of which no plan can be made."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run takes.

    Attributes:
        engine: that trains.
        nodes: their number.
        gpus_per_node: 0 trains on CPU with one rank a node.
        world_size: number of ranks.
        sizes: the batch sizes as set or by default, by Hydra key.
        derived: what follows from them.
        refusals: the sentences of all rules that the values break.
        nearest_sizes: batch sizes that hold together, where these do not.
        memory: None when the number of parameters is not known, and for `rlinf`, whose sharding is in its own
            configuration.
        left_on_gpu_gib: what activations and NCCL may take of a GPU; None without memory or instance.
        cost_an_hour: of all nodes; None without a price.
    """

    engine: str
    nodes: int
    gpus_per_node: int
    world_size: int
    sizes: dict[str, int]
    derived: list[Derived]
    refusals: list[str]
    nearest_sizes: dict[str, int]
    memory: MemoryEstimate | None = None
    left_on_gpu_gib: float | None = None
    cost_an_hour: float | None = None


def make_plan(
    environment: Environment,
    *,
    parameters: int | None,
    blocks: int,
    instance: Instance | None,
    price_an_hour: float | None,
) -> Plan:
    """Plan a run.

    Args:
        environment: with values that fit the schema; rules may be broken.
        parameters: of the model.
        blocks: transformer blocks of the model, which verl gathers one by one.
        instance: what a node is.
        price_an_hour: of one node.

    Raises:
        PlanError: for a batch size that no plan can be made of.
    """
    plan = _without_hardware(environment)
    if parameters is not None and plan.engine != "rlinf":
        plan = replace(plan, memory=_memory(plan, parameters, blocks, environment.values["training"]["hydra"]))
    if plan.memory is not None and instance is not None and plan.gpus_per_node:
        plan = replace(plan, left_on_gpu_gib=instance.gpu_memory_gib - max(plan.memory.rank_gib.values()))
    if price_an_hour is not None:
        plan = replace(plan, cost_an_hour=plan.nodes * price_an_hour)
    return plan


def _without_hardware(environment: Environment) -> Plan:
    run = json.loads(RUN.evaluate(environment))
    engine, nodes = run["engine"]["name"], run["nodes"]
    world_size = WORLD_SIZE.evaluate(environment)
    sizes = _sizes(engine, environment)
    refusals = rules.check(RULES, environment)
    nearest = batches.nearest_sizes(engine, sizes, world_size) if refusals and engine in batches.SIZES else {}
    return Plan(
        engine=engine,
        nodes=nodes["count"],
        gpus_per_node=nodes["gpus"],
        world_size=world_size,
        sizes=sizes,
        derived=_derived(engine, sizes, world_size),
        refusals=refusals,
        nearest_sizes={key: value for key, value in nearest.items() if value != sizes[key]},
    )


def _sizes(engine: str, environment: Environment) -> dict[str, int]:
    """The batch sizes as set or by default; those of RLinf's own configuration are not known here."""
    if engine == "rlinf":
        named = {key: number(key).evaluate(environment) for key in rlinf_batches.SIZES}
        return {key: size for key, size in named.items() if size}
    sizes = {key: hydra_number(engine, key).evaluate(environment) for key in batches.SIZES[engine]}
    for key, size in sizes.items():
        if size < 1:
            raise PlanError(f"training.hydra.{key} is {size}: the least is 1")
    return sizes


def _derived(engine: str, sizes: dict[str, int], world_size: int) -> list[Derived]:
    if engine == "rlinf":
        return rlinf_batches.derived_sizes(sizes, world_size)
    return batches.derived_sizes(engine, sizes, world_size)


def _memory(plan: Plan, parameters: int, blocks: int, hydra: Mapping[str, Any]) -> MemoryEstimate:
    ranks_a_node = max(plan.gpus_per_node, 1)
    if plan.engine == "native":
        return memory.estimate_native(
            parameters, world_size=plan.world_size, ranks_a_node=ranks_a_node, has_gpus=plan.gpus_per_node > 0
        )
    return memory.estimate_verl(
        parameters,
        world_size=plan.world_size,
        ranks_a_node=ranks_a_node,
        blocks=blocks,
        trajectories=plan.sizes[batches.TRAIN] * plan.sizes[batches.SAMPLES],
        hydra=hydra,
    )
