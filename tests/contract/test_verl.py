"""The contract: what the chart refuses of the engine verl is what the bootstrap refuses, and both know one tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlinf_charts.chart import rlinf_chart
from rlinf_charts.planning.memory import VERL_OFFLOAD
from rlinf_charts.rules import batches
from rlinf_charts.rules import verl as verl_rules
from rlinf_charts.run import RUN
from rlinf_charts.values import verl as verl_values
from rlinf_constructs.helm import Environment, HelmChart, Release, rules
from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines import verl
from rlinf_runtime.bootstrap.engines.launch import launch
from rlinf_runtime.bootstrap.engines.verl_suites import SUITES
from rlinf_runtime.bootstrap.exit_codes import BootstrapError

LIBERO = [name for name in SUITES if name.startswith("libero_")]
# Values near the valid ones, so that about half of the runs are valid.
_FEW = st.sampled_from
SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "data.task_suite_name": _FEW([*LIBERO, "libero_11"]),
    "data.num_trials_per_task": _FEW([5, 20, 50, 51]),
    "data.n_samples": _FEW([1, 2, 7, 8, 16]),
    "data.train_batch_size": _FEW([16, 32, 64, 96, 100, 512]),
    "data.oversample_factor": _FEW([1, 1.5, 2]),
    "data.val_batch_size": _FEW([16, 48, 72, 80, 144, 320, 480, 496, 504]),
    "data.filter_accuracy": st.booleans(),
    "data.filter_truncated": st.booleans(),
    "data.accuracy_lower_bound": _FEW([0, 0.1, 0.5, 0.9]),
    "data.accuracy_upper_bound": _FEW([0.05, 0.5, 0.9, 1, "1.0"]),
    "actor_rollout_ref.model.vla": _FEW(["openvla-oft", "openvla"]),
    "actor_rollout_ref.model.action_chunks_len": _FEW([1, 4, 8]),
    "actor_rollout_ref.model.action_token_len": _FEW([7, 14]),
    "actor_rollout_ref.actor.ppo_mini_batch_size": _FEW([64, 100, 128, 256]),
    "actor_rollout_ref.actor.ppo_micro_batch_size": _FEW([1, 8, 16]),
    "actor_rollout_ref.actor.traj_mini_batch_size": _FEW([8, 12, 16, 64]),
    "actor_rollout_ref.actor.use_dynamic_bsz": st.booleans(),
    "actor_rollout_ref.actor.ulysses_sequence_parallel_size": _FEW([1, 2]),
    "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz": st.booleans(),
    "actor_rollout_ref.ref.log_prob_use_dynamic_bsz": st.booleans(),
    "actor_rollout_ref.rollout.tensor_model_parallel_size": _FEW([1, 2, 8]),
    "actor_rollout_ref.rollout.name": _FEW(["hf", "vllm"]),
    "actor_rollout_ref.rollout.micro_batch_size": _FEW([1, 3]),
    "actor_rollout_ref.rollout.val_micro_batch_size": _FEW([1, 6, 8]),
    "actor_rollout_ref.rollout.log_prob_micro_batch_size": _FEW([8, 16, 32, 33]),
    "actor_rollout_ref.ref.log_prob_micro_batch_size": _FEW([8, 16, 32, 33]),
}


@pytest.fixture(scope="module")
def chart() -> HelmChart:
    return rlinf_chart()


def nested(leaves: dict[str, Any]) -> dict[str, Any]:
    """A tree from dotted keys."""
    tree: dict[str, Any] = {}
    for key, value in leaves.items():
        *path, last = key.split(".")
        below = tree
        for part in path:
            below = below.setdefault(part, {})
        below[last] = value
    return tree


def environment_of(chart: HelmChart, leaves: dict[str, Any], nodes: dict[str, int]) -> Environment:
    """The values of a run of verl, as rules see them."""
    training = {"engine": "verl", "hydra": nested({"actor_rollout_ref.model.path": "/models/vla", **leaves})}
    return chart.environment({"training": training, "nodes": nodes}, Release(name="rel"))


def bootstrap_refusal(run: str) -> str:
    """What the bootstrap says against a run.json, or nothing."""
    config = run_config.from_json(run).config
    try:
        launch(config, attempt.preview(config), {})
    except BootstrapError as error:
        return str(error)
    return ""


@settings(max_examples=200, deadline=None)
@given(
    nodes=st.fixed_dictionaries({"count": st.sampled_from([1, 2, 3, 4]), "gpus": st.sampled_from([1, 4, 8])}),
    keys=st.lists(st.sampled_from(sorted(SETTINGS)), max_size=3, unique=True),
    data=st.data(),
)
def test_both_refuse_the_same_runs(
    nodes: dict[str, int], keys: list[str], data: st.DataObject, chart: HelmChart
) -> None:
    """Whatever few keys the user sets, on whatever nodes."""
    leaves = {key: data.draw(SETTINGS[key], label=key) for key in keys}
    environment = environment_of(chart, leaves, nodes)

    by_chart = rules.check(verl_rules.RULES, environment)
    by_bootstrap = bootstrap_refusal(RUN.evaluate(environment))

    assert bool(by_chart) == bool(by_bootstrap), (by_chart, by_bootstrap)


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_sizes_that_nobody_set_are_the_same_in_both(count: int, chart: HelmChart) -> None:
    """What the chart computes with is what the engine gets."""
    leaves = {batches.TRAIN: 64 * count, batches.MINI: 64 * count}
    environment = environment_of(chart, leaves, {"count": count, "gpus": 8})
    config = run_config.from_json(RUN.evaluate(environment)).config
    given = dict(item.split("=", 1) for item in launch(config, attempt.preview(config), {}).overrides)

    for key in batches.VERL_SIZES:
        assert str(batches.hydra_number("verl", key).evaluate(environment)) == given[key], key


def test_defaults_are_written_twice_and_are_the_same() -> None:
    """The chart's rules and plans, and the engine's module."""
    plain = {key: size for key, size in batches.VERL_SIZES.items() if isinstance(size, int)}
    repeated = {**plain, **VERL_OFFLOAD}
    assert {key: verl.DEFAULTS[key] for key in repeated} == repeated


def test_every_key_of_ours_is_one_of_the_trees() -> None:
    """The list of keys that the chart ships knows all defaults and derived keys."""
    schema = verl_values.hydra_schema()
    for suite in SUITES.values():
        for key in [*verl.DEFAULTS, *suite.defaults]:
            node = schema
            for part in key.split("."):
                node = node["properties"][part]


def test_the_bootstraps_sentences_name_key_value_and_what_is_allowed(chart: HelmChart) -> None:
    """All faults of a run at once, in the order of a step."""
    leaves = {"data.n_samples": 1, "data.val_batch_size": 76}
    run = RUN.evaluate(environment_of(chart, leaves, {"count": 1, "gpus": 8}))

    assert bootstrap_refusal(run) == (
        "training.hydra: data.n_samples is 1: a group of one has no advantage to learn from; the least is 2; "
        "data.val_batch_size is 76, which is divided among 8 ranks: the nearest valid values are 72 and 80; "
        "data.train_batch_size * data.n_samples is 64, which actor_rollout_ref.actor.ppo_mini_batch_size, 128, does "
        "not divide"
    )
