"""The engines' real trees, composed by the real Hydra, take every override that we generate for every preset.

RLINF_TEST_VERL_TREE names a checkout of PRIME-RL/SimpleVLA-RL, RLINF_TEST_RLINF_TREE one of RLinf/RLinf at tag v0.3.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf

from rlinf_charts.chart import rlinf_chart
from rlinf_charts.run import RUN
from rlinf_constructs.helm import HelmChart, Release, merge, yaml_io
from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines.launch import Launch, launch
from rlinf_runtime.bootstrap.engines.verl_suites import SUITES
from tests_support import ROOT

VERL = Path(os.environ.get("RLINF_TEST_VERL_TREE", ""))
RLINF = Path(os.environ.get("RLINF_TEST_RLINF_TREE", ""))
needs_verl = pytest.mark.skipif(not VERL.name, reason="RLINF_TEST_VERL_TREE names no tree of SimpleVLA-RL")
needs_rlinf = pytest.mark.skipif(not RLINF.name, reason="RLINF_TEST_RLINF_TREE names no tree of RLinf")
# The trees ask for Hydra's older ways, of which Hydra warns.
pytestmark = [pytest.mark.upstream, pytest.mark.filterwarnings("default")]

_RLINF_CONFIGS = RLINF / "examples/embodiment/config"
RLINF_NAMES = sorted(file.stem for file in _RLINF_CONFIGS.glob("*.yaml")) if RLINF.name else [""]


@pytest.fixture(scope="module")
def chart() -> HelmChart:
    return rlinf_chart()


def start(chart: HelmChart, presets: Sequence[str], values: dict[str, Any] | None = None) -> Launch:
    """How the presets' run starts its engine."""
    stacked: dict[str, Any] = {}
    for name in presets:
        stacked = merge.overlay(stacked, yaml_io.load_file(ROOT / "values" / f"{name}.yaml"))
    environment = chart.environment(merge.overlay(stacked, values or {}), Release(name="rel"))
    chart.check(environment)
    config = run_config.from_json(RUN.evaluate(environment)).config
    return launch(config, attempt.preview(config), {})


def hydra(values: dict[str, Any], **training: Any) -> dict[str, Any]:
    """Values that set keys of the engine."""
    return {"training": {"hydra": values, **training}}


def composed(folder: Path, name: str, overrides: Sequence[str]) -> DictConfig:
    """The configuration as the engine's main function gets it."""
    with initialize_config_dir(str(folder), version_base="1.1"):
        return compose(name, list(overrides))


@needs_verl
@pytest.mark.parametrize("machine", ["h100", "h100 h200", "h100 b200", "h100 a100", "h100 l40s"])
@pytest.mark.parametrize("nodes", ["single-node", "multi-node"])
def test_verl_takes_every_override_of_every_preset(machine: str, nodes: str, chart: HelmChart) -> None:
    """The tree's configuration is a struct: a key that it does not have would end the run."""
    started = start(chart, [*machine.split(), nodes])

    config = composed(VERL / "verl/trainer/config", "ppo_trainer", started.overrides)

    resolved: Any = OmegaConf.to_container(config, resolve=True)
    ranks = 8 * (2 if nodes == "multi-node" else 1)
    assert resolved["actor_rollout_ref"]["actor"]["ppo_micro_batch_size"] == ranks
    assert resolved["trainer"]["logger"] == ["console"]
    assert resolved["actor_rollout_ref"]["actor"]["optim"]["lr"] == 5e-6


@needs_verl
@pytest.mark.parametrize("suite", sorted(SUITES))
def test_verl_takes_the_overrides_of_every_suite(suite: str, chart: HelmChart) -> None:
    """What a suite brings is known to the tree, too."""
    started = start(chart, ["h100"], hydra({"data": {"task_suite_name": suite}}))
    assert composed(VERL / "verl/trainer/config", "ppo_trainer", started.overrides).data.task_suite_name == suite


@needs_verl
def test_a_key_of_the_users_own_and_one_taken_away(chart: HelmChart) -> None:
    """Hydra's marks do what they do on the engine's own command line."""
    values = {
        "++data": {"mine": "a,b"},
        "~critic": {"cliprange_value": ""},
        "trainer": {"total_training_steps": "null"},
    }
    started = start(chart, ["h100"], hydra(values))
    config = composed(VERL / "verl/trainer/config", "ppo_trainer", started.overrides)
    assert config.data.mine == "a,b"
    assert "cliprange_value" not in config.critic
    assert config.trainer.total_training_steps is None


@needs_verl
def test_every_row_of_the_trees_own_script_is_there(chart: HelmChart) -> None:
    """And differs only where the script hangs, or leaves to the user what we derive."""
    script = (VERL / "examples/run_openvla_oft_rl_libero.sh").read_text(encoding="utf-8")
    theirs = dict(re.findall(r"^ +([a-z_.]+)=(\S*) \\$", script, flags=re.MULTILINE))
    ours = dict(override.split("=", 1) for override in start(chart, ["h100"]).overrides)

    # Set by the variable WANDB_MODE, which reaches wandb as well.
    assert theirs.keys() - ours.keys() == {"trainer.wandb_mode"}
    literal = {
        key: OmegaConf.create({"it": ours[key]}).it for key in theirs.keys() & ours.keys() if "$" not in theirs[key]
    }
    others = {
        key
        for key, text in theirs.items()
        if key in literal and OmegaConf.from_dotlist([f"it={text}"]) != OmegaConf.from_dotlist([f"it={literal[key]}"])
    }
    assert others == {"data.accuracy_lower_bound", "data.accuracy_upper_bound", "trainer.logger"}


@needs_verl
def test_the_keys_that_the_chart_ships_are_the_trees() -> None:
    """The committed file is what its script makes of the tree."""
    shipped = ROOT / "charts/rlinf_charts/values/verl_keys.yaml"
    commit = shipped.read_text(encoding="utf-8").split("from commit ")[1].split()[0]
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools/verl_keys.py"), str(VERL), commit],
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout == shipped.read_text(encoding="utf-8")


@needs_rlinf
@pytest.mark.parametrize("name", RLINF_NAMES)
def test_rlinf_takes_what_is_derived_with_each_of_its_configurations(
    name: str, chart: HelmChart, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folder, names and number of nodes are keys of all of them."""
    monkeypatch.setenv("EMBODIED_PATH", str(RLINF / "examples/embodiment"))
    values = {"training": {"engine": "rlinf", "code": str(RLINF), "rlinf": {"configName": name}}}

    config = composed(_RLINF_CONFIGS, name, start(chart, ["multi-node"], values).overrides)

    assert config.cluster.num_nodes == 2
    assert config.runner.logger.experiment_name == "rel-rlinf"


@needs_rlinf
@pytest.mark.parametrize("name", [it for it in RLINF_NAMES if re.fullmatch("(libero_[a-z0-9]+_grpo_openvlaoft)?", it)])
def test_rlinf_takes_every_shared_key(name: str, chart: HelmChart, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same values as for the other engine, translated; every one arrives."""
    monkeypatch.setenv("EMBODIED_PATH", str(RLINF / "examples/embodiment"))
    values = {
        "data": {
            "n_samples": 8,
            "train_batch_size": 128,
            "val_batch_size": 496,
            "filter_accuracy": True,
            "accuracy_lower_bound": 0.1,
            "accuracy_upper_bound": 0.9,
        },
        "actor_rollout_ref": {
            "model": {"action_chunks_len": 8},
            "actor": {
                "clip_ratio_high": 0.3,
                "clip_ratio_low": 0.2,
                "grad_clip": 1.0,
                "optim": {"lr": 1e-5},
                "ppo_mini_batch_size": 256,
                "ppo_micro_batch_size": 8,
            },
            "rollout": {"temperature": 1.2},
        },
        "trainer": {"save_freq": 20, "test_freq": 10, "total_epochs": 7, "val_only": False},
        "env": {"train": {"total_num_envs": 64}},
    }
    started = start(chart, ["h100", "rlinf"], hydra(values, code=str(RLINF), rlinf={"configName": name}))

    config = composed(_RLINF_CONFIGS, name, started.overrides)

    assert config.env.train.total_num_envs * config.env.train.rollout_epoch == 128 * 8
    assert config.env.train.group_size == config.algorithm.group_size == 8
    assert (config.algorithm.rewards_lower_bound, config.algorithm.rewards_upper_bound) == (0.5, 4.5)
    assert config.actor.global_batch_size % (config.actor.micro_batch_size * 8) == 0
    assert config.rollout.sampling_params.temperature_train == 1.2
    assert config.rollout.model.model_path == config.actor.model.model_path
    assert (config.runner.save_interval, config.runner.val_check_interval, config.runner.max_epochs) == (20, 10, 7)
