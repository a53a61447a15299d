"""The tree PRIME-RL/SimpleVLA-RL: its complete launch script, and what follows from the cluster.

The names of the keys are the tree's own (verl/trainer/config/ppo_trainer.yaml at commit 7c51662).
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from ..attempt import Attempt
from ..exit_codes import BootstrapError, ExitCode
from ..run_config import RunConfig
from . import carried, verl_batches
from .engine import Engine, Start
from .verl_suites import SUITES, Suite

MODEL = "actor_rollout_ref.model.path"
EPOCHS = "trainer.total_epochs"
_LOGGER = "trainer.logger"
_TEST_FREQ = "trainer.test_freq"
_WHOLE = re.compile(r"-?[0-9]{1,18}")
# To the tree itself 0 is a division by zero, and -1 divides every step's number.
_NEVER = 1_000_000

DEFAULTS: Mapping[str, Any] = {
    "data.task_suite_name": "libero_10",
    "data.n_samples": 8,
    # Without the filter the tree fails (#28); the usual bounds 0.1 and 0.9 drop every group of a model that never
    # succeeds yet, and the run goes on for ever with no update (#27).
    "data.filter_accuracy": True,
    "data.accuracy_lower_bound": 0.0,
    "data.accuracy_upper_bound": 1.0,
    "data.oversample_factor": 1,
    "data.train_batch_size": 64,
    "data.max_prompt_length": 256,
    "data.max_response_length": 128,
    "actor_rollout_ref.model.vla": "openvla-oft",
    "actor_rollout_ref.model.enable_gradient_checkpointing": False,
    "actor_rollout_ref.model.use_remove_padding": False,
    "actor_rollout_ref.actor.optim.lr": 5e-6,
    "actor_rollout_ref.actor.optim.warmup_style": "constant",
    "actor_rollout_ref.actor.ppo_mini_batch_size": 128,
    "actor_rollout_ref.actor.use_dynamic_bsz": False,
    "actor_rollout_ref.actor.fsdp_config.param_offload": False,
    "actor_rollout_ref.actor.fsdp_config.grad_offload": True,
    "actor_rollout_ref.actor.fsdp_config.optimizer_offload": True,
    "actor_rollout_ref.actor.grad_clip": 1,
    "actor_rollout_ref.actor.clip_ratio_high": 0.28,
    "actor_rollout_ref.actor.clip_ratio_low": 0.2,
    "actor_rollout_ref.actor.num_images_in_input": 1,
    "actor_rollout_ref.actor.entropy_coeff": 0.0,
    "actor_rollout_ref.rollout.num_images_in_input": 1,
    "actor_rollout_ref.rollout.val_micro_batch_size": 8,
    "actor_rollout_ref.rollout.temperature": 1.6,
    "actor_rollout_ref.rollout.micro_batch_size": 1,
    "actor_rollout_ref.rollout.model_family": "openvla",
    "actor_rollout_ref.rollout.num_steps_wait": 10,
    "actor_rollout_ref.rollout.center_crop": True,
    "actor_rollout_ref.rollout.max_prompt_length": 512,
    "actor_rollout_ref.rollout.tensor_model_parallel_size": 1,
    "actor_rollout_ref.rollout.name": "hf",
    "actor_rollout_ref.rollout.gpu_memory_utilization": 0.9,
    "actor_rollout_ref.ref.fsdp_config.param_offload": True,
    "algorithm.adv_estimator": "grpo",
    "algorithm.adv_params.verifier_gamma": 1.0,
    "algorithm.adv_params.reward_model_gamma": 1.0,
    "algorithm.kl_ctrl.kl_coef": 0.0,
    "trainer.save_freq": 25,
    _TEST_FREQ: 4,
    "trainer.total_epochs": 100,
    "trainer.val_only": False,
    "trainer.val_before_train": True,
}

# Of the tree's own align.json: what is of use. RAY_memory_monitor_refresh_ms does nothing in a runtime environment,
# VLLM_ATTENTION_BACKEND is of a rollout that the tree does not have, and an API key belongs in a Secret.
_ALIGN = {
    "NCCL_DEBUG": "WARN",
    "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    "TOKENIZERS_PARALLELISM": "true",
}


def _translated(_config: RunConfig, attempt: Attempt, given: Mapping[str, Any]) -> dict[str, Any]:
    """The user's values in the form in which the tree does what they mean."""
    models = [value for key, value in given.items() if key.lstrip("+") == MODEL]

    def adapted(key: str, value: Any) -> Any:
        if isinstance(value, str) and _WHOLE.fullmatch(value) and not key.endswith("name"):
            # As `--set-string` and quotes make it: no key of the tree but names is a text of digits.
            value = int(value)
        if value in models:
            # Wherever the model is named: what is staged of it, or its folder without the / that the tree refuses.
            return attempt.model_path or str(value).rstrip("/")
        if key == EPOCHS:
            return _epochs_left(value, attempt)
        if key == _TEST_FREQ and value in (0, -1):
            return _NEVER
        if key == _LOGGER and isinstance(value, list) and "console" not in value:
            return ["console", *value]
        return value

    return {key: adapted(key.lstrip("+"), value) for key, value in given.items()}


def _epochs_left(total: Any, attempt: Attempt) -> Any:
    """The tree counts epochs from 0 in each start; with none left it validates and ends."""
    return max(total - attempt.first_epoch, 0) if isinstance(total, int) else total


def _keys(start: Start) -> dict[str, Any]:
    suite, name = _suite(start)
    model = _model(start)
    return {
        **DEFAULTS,
        **suite.defaults,
        **_sizes(start, suite),
        MODEL: model,
        EPOCHS: _epochs_left(DEFAULTS[EPOCHS], start.attempt),
        "actor_rollout_ref.rollout.pretrained_checkpoint": model,
        "actor_rollout_ref.rollout.task_suite_name": name,
        "actor_rollout_ref.rollout.unnorm_key": f"{name}{suite.unnorm_suffix}",
        "actor_rollout_ref.rollout.experiment_name": start.config.name,
        "trainer.project_name": start.environ.get("WANDB_PROJECT", "rlinf"),
        "trainer.experiment_name": start.config.name,
        # The console's logger also writes the file that metrics are read from.
        _LOGGER: ["console", *(["wandb"] if "WANDB_PROJECT" in start.environ else [])],
        "trainer.nnodes": start.config.nodes.count,
        "trainer.n_gpus_per_node": start.config.nodes.gpus,
        "trainer.default_local_dir": f"{start.attempt.folder}/checkpoints",
        "trainer.runtime_env": _runtime_env_file(start),
    }


def _suite(start: Start) -> tuple[Suite, str]:
    """The suite and its name; one that is not known, or computed by Hydra, is taken for like LIBERO's."""
    name = str(start.given.get(verl_batches.SUITE, DEFAULTS[verl_batches.SUITE]))
    return SUITES.get(name, SUITES["libero_10"]), name


def _model(start: Start) -> str:
    path = start.given.get(MODEL)
    if not path:
        raise BootstrapError(
            ExitCode.CONFIG,
            f"training.hydra.{MODEL} is missing: name the folder of the model to start from, on a volume "
            "that every node mounts",
        )
    return str(path)


def _sizes(start: Start, suite: Suite) -> dict[str, Any]:
    """The best sizes for this many ranks."""
    world_size = start.config.world_size
    values = {**DEFAULTS, **suite.defaults, **start.given}
    episodes = suite.validation_episodes(_whole(values, verl_batches.TRIALS))
    chunk = max(_whole(values, verl_batches.CHUNK), 1)
    return {
        verl_batches.MICRO: world_size,
        verl_batches.TRAJ_MINI: verl_batches.traj_mini_batch(suite, chunk),
        verl_batches.ROLLOUT_LOG_PROB: verl_batches.log_prob_micro_batch(world_size),
        verl_batches.REF_LOG_PROB: verl_batches.log_prob_micro_batch(world_size),
        verl_batches.VALIDATION: verl_batches.validation_batch(
            episodes, max(_whole(values, verl_batches.VALIDATION_MICRO), 1), world_size
        ),
    }


def _whole(values: Mapping[str, Any], key: str) -> int:
    """A whole number, or 0 where Hydra computes it."""
    try:
        return int(values[key])
    except (TypeError, ValueError):
        return 0


def _environment(start: Start) -> dict[str, str]:
    """Of the driver; what the pod's environment says wins, but for what this attempt has made."""
    wished = {
        **_ALIGN,
        "HYDRA_FULL_ERROR": "1",
        "ROBOT_PLATFORM": _platform(start),
        **carried.patches("verl", start.config.engine.patches_off),
    }
    return {
        **{name: start.environ.get(name, value) for name, value in wished.items()},
        "HF_MODULES_CACHE": start.attempt.modules_cache,
        "PYTHONPATH": carried.python_path(start.config.engine.code, start.environ),
        "PYTHONPYCACHEPREFIX": start.attempt.pycache,
    }


def _platform(start: Start) -> str:
    """The tree's constants for the robot: without the variable it takes those of ALOHA, whatever the suite is."""
    suite, _ = _suite(start)
    chunk = _whole({**suite.defaults, **start.given}, verl_batches.CHUNK)
    return suite.platforms.get(chunk, next(iter(suite.platforms.values())))


def _files(start: Start) -> dict[str, str]:
    """The runtime environment, by which all of Ray's workers get the same variables and patches as the driver."""
    runtime_env = {
        "env_vars": _environment(start),
        "worker_process_setup_hook": f"{carried.PACKAGE}.patches.setup.setup",
        # Nothing is uploaded: the code is at the same place on every node.
        "excludes": ["*"],
    }
    return {_runtime_env_file(start): json.dumps(runtime_env, indent=2) + "\n"}


def _runtime_env_file(start: Start) -> str:
    return f"{start.attempt.folder}/runtime_env.json"


VERL = Engine(
    program=lambda _: ("python3", "-u", "-m", f"{carried.PACKAGE}.patches.drive", "verl.trainer.main_ppo"),
    keys=_keys,
    translated=_translated,
    environment=_environment,
    files=_files,
    faults=lambda start, values: verl_batches.faults(values, start.config.world_size),
)
