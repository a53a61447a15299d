"""RLinf's own configuration is composed with the user's keys, before any node waits for another."""

import json
import os
import sys

import pytest

from rlinf_runtime.bootstrap import run_config
from rlinf_runtime.bootstrap.preflight.configuration import check

# In the layout of RLinf's examples: 8 environments in groups of 4, and a reference to a variable of the driver.
CONFIGURATION = """
cluster: {num_nodes: 1, component_placement: {"actor,env,rollout": all}}
runner:
  only_eval: false
  val_check_interval: -1
  logger: {log_path: results, project_name: p, experiment_name: e, logger_backends: [tensorboard]}
  assets: ${oc.env:EMBODIED_PATH}/assets
algorithm: {adv_type: grpo, group_size: 4}
env:
  train: {total_num_envs: 8, group_size: "${algorithm.group_size}", max_steps_per_rollout_epoch: 512}
  eval: {total_num_envs: 9, group_size: 1, max_steps_per_rollout_epoch: 512}
rollout: {pipeline_stage_num: 1}
actor: {training_backend: fsdp, global_batch_size: 64, micro_batch_size: 8, model: {num_action_chunks: 8}}
"""


@pytest.fixture
def findings(config_of, run_tree, tmp_path):
    """What is said of a run on two GPUs: `findings(hydra, config_name=...)`, as sentences."""
    folder = tmp_path / "configurations"
    folder.mkdir()
    (folder / "libero_goal_grpo.yaml").write_text(CONFIGURATION)
    (folder / "bare.yaml").write_text(CONFIGURATION.replace("group_size: 4", "group_size: 1"))

    def look(hydra=None, *, config_name="libero_goal_grpo", config_folder=str(folder)):
        run_tree["engine"].update(config_name=config_name, config_folder=config_folder)
        return [str(each) for each in check(config_of("rlinf", hydra, code=str(tmp_path), gpus=2), {})]

    return look


def test_a_configuration_that_can_run_passes(findings):
    """Eight environments in groups of four on two ranks; nothing is validated, so nine others do no harm."""
    assert findings() == []


@pytest.mark.parametrize(
    ("hydra", "sentence"),
    [
        (
            {"algorithm": {"group_size": 3}},
            (
                "env.train.total_num_envs is 8, but each of 2 ranks takes whole groups of 3 in 1 pipeline stages: the "
                "nearest valid values are 6 and 12"
            ),
        ),
        (
            {"runner": {"val_check_interval": 10}},
            (
                "env.eval.total_num_envs is 9, but each of 2 ranks takes whole groups of 1 in 1 pipeline stages: the "
                "nearest valid values are 8 and 10"
            ),
        ),
        (
            {"actor": {"micro_batch_size": 10}},
            (
                "actor.global_batch_size is 64, but must hold whole micro batches of 10 on each of 2 ranks: the "
                "nearest valid values are 60 and 80"
            ),
        ),
        (
            {"actor": {"model": {"num_action_chunks": 5}}},
            (
                "env.train.max_steps_per_rollout_epoch is 512, which actor.model.num_action_chunks, 5, does not "
                "divide: the nearest valid values are 510 and 515"
            ),
        ),
    ],
)
def test_sizes_of_its_own_and_the_users_are_held_together(findings, hydra, sentence):
    """The user names one of them; the other is in the YAML alone."""
    assert findings(hydra) == [f"training.hydra on top of RLinf's libero_goal_grpo cannot run: {sentence}"]


def test_a_group_of_one_has_no_advantage(findings):
    """With GRPO; PPO has no groups."""
    assert findings(config_name="bare") == [
        (
            "training.hydra on top of RLinf's bare cannot run: algorithm.group_size is 1, but a group of grpo has at "
            "least 2 members"
        )
    ]
    assert findings({"algorithm": {"adv_type": "gae"}}, config_name="bare") == []


def test_a_placement_of_the_users_own_is_left_to_rlinf(findings):
    """How many ranks a component has is then its own matter."""
    placement = {"cluster": {"component_placement": {"actor,env,rollout": "0-0"}}, "algorithm": {"group_size": 3}}
    assert findings(placement) == []


def test_a_key_that_it_lacks_is_named_in_hydras_words(findings):
    """RLinf would say so after all nodes have come."""
    [sentence] = findings({"algorithm": {"grup_size": 8}})
    assert sentence.startswith(
        "training.hydra does not fit RLinf's libero_goal_grpo: Could not override 'algorithm.grup_size'."
    )


def test_a_name_that_is_not_there_is_told_with_those_near_it(findings, tmp_path):
    """Configurations come and go with RLinf's versions."""
    assert findings(config_name="libero_gaol_grpo") == [
        (
            f"training.rlinf.configName is libero_gaol_grpo, which {tmp_path}/configurations does not have: near it "
            "are libero_goal_grpo"
        )
    ]


@pytest.mark.upstream
@pytest.mark.skipif(not os.environ.get("RLINF_TEST_RLINF_TREE"), reason="RLINF_TEST_RLINF_TREE names no clone of RLinf")
def test_the_real_tree_is_composed(run_tree):
    """Its own 500 environments of validation fit 8 GPUs only as long as nothing is validated."""
    tree = {"code": os.environ["RLINF_TEST_RLINF_TREE"], "config_name": "libero_10_grpo_openvlaoft"}
    run_tree["engine"].update(name="rlinf", **tree, hydra={})
    run_tree["nodes"] = {"count": 1, "gpus": 8, "efa_devices": 0}
    assert list(check(run_config.from_json(json.dumps(run_tree)).config, {})) == []
    run_tree["engine"]["hydra"] = {"runner": {"val_check_interval": 5}}
    [finding] = check(run_config.from_json(json.dumps(run_tree)).config, {})
    assert "env.eval.total_num_envs is 500, but each of 8 ranks" in str(finding)


def test_a_folder_that_is_not_there_is_said(findings, caplog, tmp_path):
    """The check of the engine's code says more, where it lies in its tree."""
    caplog.set_level("INFO")
    assert findings(config_folder=str(tmp_path / "nowhere")) == []
    assert f"RLinf's configuration is not checked: {tmp_path}/nowhere is not on this node" in caplog.text


def test_a_python_without_hydra_is_said(findings, monkeypatch, caplog, tmp_path):
    """The standard library reads no YAML, so nothing can be checked."""
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    caplog.set_level("INFO")
    assert findings() == []
    assert f"RLinf's configuration is not checked: {python} has no Hydra" in caplog.text
