"""The engine's command: its program, what the cluster determines, and what the user says."""

import json

from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines.command import command as engine_command


def command(tree):
    config = run_config.from_json(json.dumps(tree)).config
    return engine_command(config, attempt.preview(config))


def test_the_native_engine_gets_the_cluster_and_the_users_keys(run_tree):
    """Derived keys first, then the user's."""
    run_tree["engine"]["hydra"] = {"data": {"train_batch_size": 16}}
    assert command(run_tree) == (
        "python3",
        "-u",
        "-m",
        "rlinf_runtime.trainer",
        "trainer.nnodes=2",
        "trainer.n_gpus_per_node=0",
        "trainer.project_name=rlinf",
        "trainer.experiment_name=rlinf",
        f"trainer.default_local_dir={run_tree['folder']}",
        "data.train_batch_size=16",
    )


def test_verl_gets_its_micro_batch_from_the_world_size(run_tree):
    """Two nodes of eight GPUs make sixteen ranks."""
    arguments = command(
        run_tree | {"nodes": {"count": 2, "gpus": 8, "efa_devices": 0}, "engine": {"name": "verl", "hydra": {}}}
    )
    assert arguments[:4] == ("python3", "-u", "-m", "verl.trainer.main_ppo")
    assert "actor_rollout_ref.actor.ppo_micro_batch_size=16" in arguments
    assert f"trainer.default_local_dir={run_tree['folder']}/attempts/1/checkpoints" in arguments


def test_the_users_value_for_a_derived_key_wins(run_tree):
    """Also when it is written with Hydra's `++`, and when it is null."""
    run_tree["engine"]["hydra"] = {
        "trainer": {"nnodes": 1, "project_name": None},
        "++trainer": {"experiment_name": "x"},
    }
    arguments = command(run_tree)
    assert [each for each in arguments if "nnodes" in each] == ["trainer.nnodes=1"]
    assert [each for each in arguments if "project_name" in each] == ["trainer.project_name=null"]
    assert [each for each in arguments if "experiment_name" in each] == ["++trainer.experiment_name=x"]
