"""The engine rlinf: one of RLinf's configurations, with keys of the other tree translated and its own passed on."""

import dataclasses
import json

import pytest

from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines.launch import launch
from rlinf_runtime.bootstrap.exit_codes import BootstrapError

TREE = {"code": "/code/RLinf", "config_name": "libero_10_grpo_openvlaoft"}


@pytest.fixture
def start(run_tree):
    """Starts the engine on two nodes of 8 GPUs: `start(hydra, checkpoint=None, environ={}, **engine keys)`."""

    def resolve(hydra, *, checkpoint=None, environ=None, **engine):
        tree = {**run_tree, "nodes": {**run_tree["nodes"], "count": 2, "gpus": 8}}
        tree["engine"] = {**run_tree["engine"], "name": "rlinf", "hydra": hydra, **TREE, **engine}
        config = run_config.from_json(json.dumps(tree)).config
        return launch(config, dataclasses.replace(attempt.preview(config), checkpoint=checkpoint), environ or {})

    return resolve


def translated(started):
    """The overrides that are not derived from the run itself."""
    derived = ("cluster.num_nodes=", "runner.logger.")
    return [override for override in started.overrides if not override.startswith(derived)]


def test_the_trees_own_program_runs_its_configuration(start, run_tree):
    """As its own script does, on one node, with the number of nodes and the run's folder told."""
    started = start({})
    assert started.program[4:] == (
        *("--script", "/code/RLinf/examples/embodiment/train_embodied_agent.py"),
        *("--config-path", "/code/RLinf/examples/embodiment/config", "--config-name", "libero_10_grpo_openvlaoft"),
    )
    assert started.overrides == (
        "cluster.num_nodes=2",
        "runner.logger.experiment_name=rlinf",
        f"runner.logger.log_path={run_tree['folder']}/attempts/1",
        "runner.logger.logger_backends=[tensorboard]",
        "runner.logger.project_name=rlinf",
    )


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("libero_goal_async_ppo_gr00t", "train_async.py"),
        ("maniskill_sac_mlp_async", "train_async.py"),
        ("d4rl_iql_mujoco", "train_offline_rl.py"),
        ("maniskill_ppo_openvla", "train_embodied_agent.py"),
    ],
)
def test_a_configuration_tells_its_program(start, name, script):
    """The tree has three, each with a shell script of its own."""
    assert start({}, config_name=name).program[5].endswith(f"/embodiment/{script}")


def test_the_environment_is_that_of_the_trees_script(start):
    """What the pod sets already wins."""
    environment = start({}, environ={"MUJOCO_GL": "osmesa", "PYTHONPATH": "/opt/envs/LIBERO"}).environment
    assert (
        environment.items()
        >= {
            "EMBODIED_PATH": "/code/RLinf/examples/embodiment",
            "REPO_PATH": "/code/RLinf",
            "ROBOT_PLATFORM": "LIBERO",
            "MUJOCO_GL": "osmesa",
            "PYOPENGL_PLATFORM": "egl",
            "RLINF_ENGINE": "rlinf",
        }.items()
    )
    assert environment["PYTHONPATH"].startswith("/code/RLinf:")
    assert environment["PYTHONPATH"].endswith(":/opt/envs/LIBERO")
    assert start({}, config_name="robotwin_lift_pot_grpo_openvlaoft").environment["ROBOT_PLATFORM"] == "ALOHA"


def test_shared_keys_are_translated(start):
    """Counts of episodes become counts of forward passes, success rates become rewards, and sizes those of a rank."""
    hydra = {
        "data": {
            "task_suite_name": "libero_10",
            "n_samples": 8,
            "train_batch_size": 128,
            "filter_accuracy": True,
            "accuracy_lower_bound": 0.1,
            "accuracy_upper_bound": "0.9",
            "val_batch_size": 496,
        },
        "actor_rollout_ref": {
            "model": {"path": "/models/vla"},
            "actor": {"clip_ratio_high": 0.28, "ppo_mini_batch_size": 256, "ppo_micro_batch_size": 16},
            "rollout": {"temperature": 1.6},
        },
        "trainer": {"save_freq": 20, "test_freq": 10, "total_epochs": 100, "val_only": False},
        "env": {"train": {"total_num_envs": 128}},
    }
    assert translated(start(hydra)) == [
        "actor.global_batch_size=16384",
        "actor.micro_batch_size=64",
        "actor.model.model_path=/models/vla",
        "algorithm.clip_ratio_high=0.28",
        "algorithm.filter_rewards=true",
        "algorithm.group_size=8",
        "algorithm.rewards_lower_bound=0.5",
        "algorithm.rewards_upper_bound=4.5",
        "env.eval.task_suite_name=libero_10",
        "env.eval.total_num_envs=496",
        "++env.train.group_size=8",
        "env.train.rollout_epoch=8",
        "env.train.task_suite_name=libero_10",
        "env.train.total_num_envs=128",
        "rollout.model.model_path=/models/vla",
        "rollout.sampling_params.temperature_train=1.6",
        "runner.max_epochs=100",
        "runner.only_eval=false",
        "runner.save_interval=20",
        "runner.val_check_interval=10",
    ]


@pytest.mark.parametrize(
    ("given", "backends"),
    [
        (["console", "wandb"], "[tensorboard,wandb]"),
        (["console"], "[tensorboard]"),
        ("mlflow", "[tensorboard]"),
        (["tensorboard", "swanlab"], "[tensorboard,swanlab]"),
    ],
)
def test_the_files_of_metrics_are_always_written(start, given, backends):
    """The status and MLflow's relay read them; RLinf asserts over loggers that it does not have."""
    assert f"runner.logger.logger_backends={backends}" in start({"trainer": {"logger": given}}).overrides


def test_keys_of_rlinfs_own_are_passed_on_and_win(start):
    """Also over what a shared key would be translated to, and with Hydra's marks."""
    hydra = {
        "data": {"n_samples": 8},
        "algorithm": {"group_size": 16, "adv_type": "grpo"},
        "+runner": {"per_worker_log": True},
        "cluster": {"num_nodes": 1},
    }
    started = start(hydra)
    assert translated(started) == [
        "algorithm.adv_type=grpo",
        "algorithm.group_size=16",
        "++env.train.group_size=8",
        "+runner.per_worker_log=true",
    ]
    assert "cluster.num_nodes=1" in started.overrides


def test_a_restart_goes_on_from_the_newest_checkpoint(start):
    """Even when the user began with one of their own; RLinf reads the step from its name."""
    hydra = {"runner": {"resume_dir": "/old/checkpoints/global_step_10"}}
    newest = "/runs/rlinf/attempts/1/rlinf/checkpoints/global_step_40"
    assert translated(start(hydra)) == ["runner.resume_dir=/old/checkpoints/global_step_10"]
    assert translated(start(hydra, checkpoint=newest)) == [f"runner.resume_dir={newest}"]


@pytest.mark.parametrize(
    ("hydra", "engine", "sentence"),
    [
        ({}, {"code": ""}, "training.code is empty: name the folder of a clone of RLinf"),
        ({}, {"config_name": ""}, "training.rlinf.configName is empty: name one of the configurations"),
        (
            {"data": {"n_sample": 8}},
            {},
            r"data\.n_sample has no counterpart in RLinf \(did you mean data\.n_samples\?\)",
        ),
        (
            {"data": {"task_suite_name": "libero_10"}},
            {"config_name": "maniskill_ppo_openvla"},
            "task_suite_name is libero_10, but the configuration maniskill_ppo_openvla is of another environment",
        ),
        ({"data": {"train_batch_size": 64}}, {}, r"set all three$"),
        (
            {"data": {"train_batch_size": 60, "n_samples": 8}, "env": {"train": {"total_num_envs": 128}}},
            {},
            "is 480, which env.train.total_num_envs, 128, does not divide: the nearest that it divides are 384 and 512",
        ),
        ({"data": {"accuracy_lower_bound": "low"}}, {}, "accuracy_lower_bound is 'low', but must be a number"),
        (
            {"env": {"eval": {"total_num_envs": 500}}},
            {},
            "divided among 16 ranks: the nearest valid values are 496 and",
        ),
        (
            {"env": {"train": {"total_num_envs": 64}}, "algorithm": {"group_size": 8}},
            {},
            "each of 16 ranks takes whole groups of 8: the least is 128",
        ),
        ({"actor": {"global_batch_size": 1000, "micro_batch_size": 32}}, {}, "are 512 and 1024"),
        ({"trainer": {"save_freq": 25, "test_freq": 4}}, {}, "runner.save_interval is 25.*: .* are 24 and 28"),
    ],
)
def test_what_rlinf_would_trip_over_is_refused(start, hydra, engine, sentence):
    """With the key and what to do."""
    with pytest.raises(BootstrapError, match=sentence):
        start(hydra, **engine)
