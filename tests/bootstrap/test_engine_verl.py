"""The engine verl: the seeds' launch script with its faults cured, from the least that a user must say."""

import dataclasses
import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines import verl_batches
from rlinf_runtime.bootstrap.engines.launch import launch
from rlinf_runtime.bootstrap.engines.verl_suites import SUITES
from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode

MODEL = {"actor_rollout_ref": {"model": {"path": "/fsx/models/vla/"}}}


@pytest.fixture
def start(run_tree):
    """Starts the engine on 8 GPUs a node: `start(hydra, nodes=1, staged=None, environ={})`."""

    def resolve(hydra, *, nodes=1, staged=None, environ=None, **engine):
        tree = {**run_tree, "nodes": {**run_tree["nodes"], "count": nodes, "gpus": 8}}
        tree["engine"] = {**run_tree["engine"], "name": "verl", "code": "/workspace", "hydra": hydra, **engine}
        config = run_config.from_json(json.dumps(tree)).config
        first = attempt.preview(config)
        again = dataclasses.replace(first, number=2, folder=f"{config.folder}/attempts/2", model_path=staged)
        return launch(config, again if staged else first, environ or {})

    return resolve


def values_of(started):
    """Key and text of each override."""
    return dict(override.split("=", 1) for override in started.overrides)


def test_a_model_is_all_that_a_user_must_name(start, run_tree):
    """All rows of the seeds' script are there; what it lost in print follows from the run."""
    values = values_of(start(MODEL))
    folder = run_tree["folder"]
    assert (
        values.items()
        >= {
            "data.task_suite_name": "libero_10",
            "data.num_trials_per_task": "50",
            "data.val_batch_size": "496",
            "data.accuracy_lower_bound": "0.0",
            "data.accuracy_upper_bound": "1.0",
            "actor_rollout_ref.model.path": "/fsx/models/vla",
            "actor_rollout_ref.actor.ppo_micro_batch_size": "8",
            "actor_rollout_ref.actor.traj_mini_batch_size": "16",
            "actor_rollout_ref.rollout.experiment_name": "rlinf",
            "actor_rollout_ref.rollout.log_prob_micro_batch_size": "32",
            "actor_rollout_ref.rollout.pretrained_checkpoint": "/fsx/models/vla",
            "actor_rollout_ref.rollout.task_suite_name": "libero_10",
            "actor_rollout_ref.rollout.unnorm_key": "libero_10",
            "trainer.default_local_dir": f"{folder}/attempts/1/checkpoints",
            "trainer.experiment_name": "rlinf",
            "trainer.logger": "[console]",
            "trainer.n_gpus_per_node": "8",
            "trainer.nnodes": "1",
            "trainer.project_name": "rlinf",
            "trainer.runtime_env": f"{folder}/attempts/1/runtime_env.json",
        }.items()
    )


def test_without_a_model_nothing_starts(start):
    """The sentence names the key."""
    with pytest.raises(BootstrapError, match=r"training\.hydra\.actor_rollout_ref\.model\.path is missing") as refusal:
        start({})
    assert refusal.value.exit_code is ExitCode.CONFIG


def test_the_staged_model_takes_the_place_of_the_users_wherever_it_is_named(start):
    """A restart loads what the last attempt saved, not what the user began with."""
    hydra = {"actor_rollout_ref": {"model": {"path": "/m/"}, "rollout": {"pretrained_checkpoint": "/m/"}}}
    values = values_of(start(hydra, staged="/runs/rlinf/attempts/2/model"))
    assert values["actor_rollout_ref.model.path"] == "/runs/rlinf/attempts/2/model"
    assert values["actor_rollout_ref.rollout.pretrained_checkpoint"] == "/runs/rlinf/attempts/2/model"
    assert values["trainer.default_local_dir"].endswith("/attempts/2/checkpoints")


@pytest.mark.parametrize("frequency", [0, -1])
def test_never_to_validate_is_said_as_for_the_other_engines(start, frequency):
    """To the tree itself 0 is a division by zero, and -1 divides every step's number."""
    assert values_of(start({**MODEL, "trainer": {"test_freq": frequency}}))["trainer.test_freq"] == "1000000"


def test_the_file_of_metrics_is_always_written(start):
    """It is the console's logger that writes it."""
    hydra = {**MODEL, "trainer": {"logger": ["wandb"]}}
    assert values_of(start(hydra))["trainer.logger"] == "[console,wandb]"


def test_sizes_follow_the_ranks(start):
    """Sixteen ranks take one episode each; 500 episodes give each 31 to validate on."""
    values = values_of(start(MODEL, nodes=2))
    assert values["actor_rollout_ref.actor.ppo_micro_batch_size"] == "16"
    assert values["data.val_batch_size"] == "496"
    assert values["actor_rollout_ref.ref.log_prob_micro_batch_size"] == "32"


def test_a_suite_brings_what_its_robot_needs(start):
    """RoboTwin's two arms have 14 joints, and plan 25 actions at a time."""
    started = start({**MODEL, "data": {"task_suite_name": "robotwin2_place_container_plate"}})
    assert (
        values_of(started).items()
        >= {
            "actor_rollout_ref.model.action_token_len": "14",
            "actor_rollout_ref.model.action_chunks_len": "25",
            # 150 steps are 6 forward passes.
            "actor_rollout_ref.actor.traj_mini_batch_size": "6",
            "actor_rollout_ref.rollout.unnorm_key": "robotwin2_place_container_plate_1k",
            "actor_rollout_ref.rollout.use_proprio": "true",
            "data.val_batch_size": "256",
        }.items()
    )
    assert started.environment["ROBOT_PLATFORM"] == "ALOHA"


def test_workers_get_the_variables_of_the_driver_and_its_patches(start):
    """The robot's platform above all: without it the tree takes another robot's constants."""
    started = start(MODEL, patches_off=["early_exit", "videos"], environ={"NCCL_DEBUG": "INFO", "PYTHONPATH": "/own"})
    [text] = started.files.values()
    runtime_env = json.loads(text)
    variables = runtime_env["env_vars"]
    assert variables == started.environment
    assert variables["ROBOT_PLATFORM"] == "LIBERO"
    assert variables["NCCL_DEBUG"] == "INFO"
    assert variables["RLINF_PATCHES_OFF"] == "early_exit,videos"
    code, _, rest = variables["PYTHONPATH"].partition(":")
    assert (code, rest.rpartition(":")[2]) == ("/workspace", "/own")
    assert runtime_env["worker_process_setup_hook"].endswith(".patches.setup.setup")


def test_what_does_harm_in_a_runtime_environment_is_not_in_it(start):
    """An API key on a shared volume, a variable that Ray reads only before it starts, debugging of CUDA."""
    environ = {"WANDB_API_KEY": "secret", "RAY_memory_monitor_refresh_ms": "0", "WANDB_PROJECT": "arms"}
    started = start(MODEL, environ=environ)
    [runtime_env] = map(json.loads, started.files.values())
    slowing = {"CUDA_LAUNCH_BLOCKING", "TORCH_USE_CUDA_DSA"}
    for variables in (started.environment, runtime_env["env_vars"]):
        assert not (environ.keys() | slowing) & variables.keys()
    assert values_of(started)["trainer.logger"] == "[console,wandb]"
    assert values_of(started)["trainer.project_name"] == "arms"


@given(st.integers(1, 700), st.integers(1, 40))
def test_torch_cuts_a_ranks_episodes_into_as_many_pieces_as_asked(rank_size, micro):
    """The law: the same as torch's own `chunk`, which makes 3 pieces of 9 episodes where 4 are asked for."""
    pieces = max(rank_size // micro, 1)
    assert verl_batches.cuts_evenly(rank_size, micro) is (len(torch.arange(rank_size).chunk(pieces)) == pieces)


@pytest.mark.parametrize("world_size", [1, 2, 4, 8, 16, 24, 32, 64])
def test_sizes_of_ours_are_valid_for_every_suite(world_size):
    """What nobody sets never stands in the way."""
    for name, suite in SUITES.items():
        chunk = next(iter(suite.platforms))
        assert suite.forward_passes(chunk) % verl_batches.traj_mini_batch(suite, chunk) == 0, name
        size = verl_batches.validation_batch(suite.validation_episodes(50), 8, world_size)
        assert size > 0, name
        assert verl_batches.faults({verl_batches.VALIDATION: size, "data.task_suite_name": name}, world_size) == []
    log_prob = verl_batches.log_prob_micro_batch(world_size)
    assert (
        verl_batches.faults({verl_batches.REF_LOG_PROB: log_prob, "data.task_suite_name": "libero_10"}, world_size)
        == []
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"data.task_suite_name": "libero_goals"}, "; did you mean libero_goal?"),
        (
            {"data.task_suite_name": "robotwin2_click_bell", "data.num_trials_per_task": 1200},
            "data.num_trials_per_task is 1200, but a task of robotwin2_click_bell has 1000 initial states",
        ),
        (
            {
                "data.task_suite_name": "robotwin2_lift_pot",
                "actor_rollout_ref.model.action_chunks_len": 25,
                "actor_rollout_ref.model.action_token_len": 14,
                "actor_rollout_ref.actor.traj_mini_batch_size": 3,
            },
            "must divide the 8 forward passes of an episode: the nearest valid values are 2 and 4",
        ),
        (
            {"data.val_batch_size": 72, "actor_rollout_ref.rollout.val_micro_batch_size": 2},
            (
                "which cannot be cut into pieces of actor_rollout_ref.rollout.val_micro_batch_size, 2: the nearest "
                "valid value below is 64"
            ),
        ),
        ({"actor_rollout_ref.rollout.name": "vllm"}, "has no other rollout than hf for a VLA"),
        (
            {
                "data.filter_accuracy": True,
                "data.n_samples": 2,
                "data.accuracy_lower_bound": "0.1",
                "data.accuracy_upper_bound": 0.4,
            },
            "are 0.1 and 0.4: no success rate of 2 episodes lies there",
        ),
    ],
)
def test_what_only_the_pod_can_know_is_refused(values, sentence):
    """With the nearest valid value."""
    found = verl_batches.faults({"data.task_suite_name": "libero_10", **values}, 8)
    assert len(found) == 1
    assert sentence in found[0]


def test_what_hydra_computes_passes():
    """An interpolation is no number that we could judge."""
    assert verl_batches.faults({"data.task_suite_name": "${oc.env:SUITE}", "data.n_samples": "${x}"}, 8) == []


def test_numbers_that_helm_hands_on_as_texts_are_numbers(start):
    """`--set` makes texts of decimals, and `--set-string` of whole numbers; names stay what they are."""
    data = {"accuracy_lower_bound": "0.1", "train_batch_size": "64"}
    trainer = {"save_freq": "25", "experiment_name": "25"}
    values = values_of(start({**MODEL, "data": data, "trainer": trainer}))
    assert values["data.accuracy_lower_bound"] == "0.1"
    assert values["data.train_batch_size"] == "64"
    assert values["trainer.save_freq"] == "25"
    assert values["trainer.experiment_name"] == "'25'"
