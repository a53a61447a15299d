"""Plans: sizes, memory and cost from values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlinf_charts.instances import instances
from rlinf_charts.planning import Plan, make_plan
from rlinf_constructs.helm import HelmChart, Release

_GIB = 2**30
VERL = {"engine": "verl", "hydra": {"actor_rollout_ref": {"model": {"path": "/models/vla"}}}}


def plan_of(chart: HelmChart, values: dict[str, Any], **options: Any) -> Plan:
    """The plan for these values."""
    given = {"parameters": None, "blocks": 32, "instance": None, "price_an_hour": None, **options}
    return make_plan(chart.environment(values, Release(name="rel")), **given)


def hydra_values(sizes: Mapping[str, int | str]) -> dict[str, Any]:
    """Hydra's tree from dotted keys."""
    tree: dict[str, Any] = {}
    for key, size in sizes.items():
        *path, last = key.split(".")
        below = tree
        for part in path:
            below = below.setdefault(part, {})
        below[last] = size
    return tree


def test_the_seeds_run_on_one_node_of_eight_gpus(chart: HelmChart) -> None:
    """Every size of the launch script of SimpleVLA-RL, as its tree divides them."""
    values = {"nodes": {"gpus": 8}, "training": VERL}
    plan = plan_of(chart, values, price_an_hour=98.32)

    assert plan.world_size == 8
    assert plan.cost_an_hour == 98.32
    assert plan.refusals == []
    assert {it.name: it.value for it in plan.derived} == {
        "trajectories a step": 512,
        "groups a rank": 8,
        "trajectories a rank": 64,
        "optimizer updates a step": 4,
        "mini batch a rank": 16,
        "micro batch a rank": 1,
        "accumulated micro batches": 16,
        "rollout log-prob batch a rank": 4,
        "reference log-prob batch a rank": 4,
    }


def test_offloading_makes_room_in_the_rollout_and_none_in_the_update(chart: HelmChart) -> None:
    """What is offloaded comes back for its phase; the node's memory holds it in between."""
    values = {"nodes": {"gpus": 8}, "training": VERL}
    stays = {"fsdp_config": {"optimizer_offload": False, "param_offload": False}}
    staying = {**values, "training": {"engine": "verl", "hydra": {"actor_rollout_ref": {"actor": stays, "ref": stays}}}}

    plain, away = (plan_of(chart, it, parameters=8 * _GIB, blocks=64).memory for it in (staying, values))

    assert plain is not None
    assert away is not None
    # A GiB of parameters for each GPU; two gathered blocks of 1/8 GiB in bfloat16, one gradient of one in float32.
    assert plain.rank_gib == {"rollout": 14.5, "reference": 14.5, "update": 19.0}
    assert away.rank_gib == {"rollout": 4.5, "reference": 6.5, "update": 17.0}
    assert (plain.node_gib, away.node_gib) == (0, 80)
    assert plain.checkpoint_gib == 32


def test_what_is_left_of_a_gpu(chart: HelmChart) -> None:
    """The instance's GPU less the largest phase."""
    values = {"nodes": {"gpus": 8}, "training": VERL}
    plan = plan_of(chart, values, parameters=8 * _GIB, blocks=64, instance=instances()["p5.48xlarge"])
    assert plan.left_on_gpu_gib == 80 - 17


def test_the_native_engine_on_cpu_takes_main_memory(chart: HelmChart) -> None:
    """Each rank's state is in its node; the head gathers the weights besides."""
    memory = plan_of(chart, {"nodes": {"count": 2}}, parameters=_GIB).memory
    assert memory is not None
    assert (memory.rank_gib["update"], memory.node_gib, memory.head_gib, memory.checkpoint_gib) == (16, 16, 20, 16)


@pytest.mark.parametrize("engine", ["native", "verl"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_nearest_sizes_are_valid(engine: str, data: st.DataObject, chart: HelmChart) -> None:
    """Whatever sizes do not divide, the rules take those that the plan offers; valid ones are left alone."""
    count, gpus = data.draw(st.integers(1, 40)), data.draw(st.sampled_from([1, 4, 8]))
    # The largest suite: what does not fit a data set is no matter of divisors.
    others = {"data.task_suite_name": "libero_90", "actor_rollout_ref.model.path": "/models/vla"}
    fixed = others if engine == "verl" else {}
    keys = plan_of(chart, {"training": {"engine": engine}}).sizes
    sizes = {key: data.draw(st.integers(2, 600), label=key) for key in keys}

    def planned(chosen: dict[str, int]) -> Plan:
        training = {"engine": engine, "hydra": hydra_values({**fixed, **chosen})}
        return plan_of(chart, {"nodes": {"count": count, "gpus": gpus}, "training": training})

    plan = planned(sizes)
    assert bool(plan.nearest_sizes) == bool(plan.refusals)
    assert planned({**sizes, **plan.nearest_sizes}).refusals == []


def test_the_plan_of_rlinf_says_what_the_values_tell(chart: HelmChart) -> None:
    """The rest is in RLinf's configuration, which only the pods have."""
    sizes = {"env.train.total_num_envs": 64, "data.n_samples": 8, "data.train_batch_size": 128}
    training = {"engine": "rlinf", "code": "/code/RLinf", "rlinf": {"configName": "libero_10_grpo_openvlaoft"}}
    values = {"nodes": {"gpus": 8}, "training": {**training, "hydra": hydra_values(sizes)}}

    plan = plan_of(chart, values, parameters=8 * _GIB)

    assert plan.sizes == {"data.train_batch_size": 128, "data.n_samples": 8, "env.train.total_num_envs": 64}
    assert {it.name: it.value for it in plan.derived} == {
        "trajectories a step": 1024,
        "environments a rank": 8,
        "groups a rank at a time": 1,
        "rounds a step": 16,
    }
    assert (plan.refusals, plan.memory) == ([], None)
