"""RLinf v0.3: one of the configurations in its tree, with the user's keys over it.

Keys that the engine verl has under other names are translated, so that a values file of one engine says the same to the
other; all other keys are RLinf's own and passed on. Sources, at tag v0.3: examples/embodiment/run_embodiment.sh (the
environment), rlinf/config.py (sizes), rlinf/runners/embodied_runner.py (resume, intervals).
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..attempt import Attempt
from ..exit_codes import BootstrapError, ExitCode
from ..run_config import RunConfig
from . import carried
from .engine import Engine, Start
from .rlinf_sizes import multiples

SUITE = "data.task_suite_name"
TRAIN = "data.train_batch_size"
SAMPLES = "data.n_samples"
MINI = "actor_rollout_ref.actor.ppo_mini_batch_size"
MICRO = "actor_rollout_ref.actor.ppo_micro_batch_size"
LOWER = "data.accuracy_lower_bound"
UPPER = "data.accuracy_upper_bound"
LOGGER = "trainer.logger"

GROUP_SIZE = "algorithm.group_size"
TRAIN_ENVS = "env.train.total_num_envs"
ROLLOUT_EPOCHS = "env.train.rollout_epoch"
EVAL_ENVS = "env.eval.total_num_envs"
GLOBAL_BATCH = "actor.global_batch_size"
MICRO_BATCH = "actor.micro_batch_size"
SAVE_INTERVAL = "runner.save_interval"
VALIDATE_INTERVAL = "runner.val_check_interval"
RESUME = "runner.resume_dir"
LOGGERS = "runner.logger.logger_backends"

RENAMED: Mapping[str, tuple[str, ...]] = {
    "actor_rollout_ref.model.path": ("actor.model.model_path", "rollout.model.model_path"),
    "actor_rollout_ref.model.action_chunks_len": ("actor.model.num_action_chunks",),
    "actor_rollout_ref.actor.clip_ratio_high": ("algorithm.clip_ratio_high",),
    "actor_rollout_ref.actor.clip_ratio_low": ("algorithm.clip_ratio_low",),
    "actor_rollout_ref.actor.grad_clip": ("actor.optim.clip_grad",),
    "actor_rollout_ref.actor.optim.lr": ("actor.optim.lr",),
    "actor_rollout_ref.rollout.temperature": ("rollout.sampling_params.temperature_train",),
    "data.filter_accuracy": ("algorithm.filter_rewards",),
    # Many configurations leave the environments' at 1, so that a "group" would be of different scenes.
    SAMPLES: (GROUP_SIZE, "++env.train.group_size"),
    "data.val_batch_size": (EVAL_ENVS,),
    "trainer.experiment_name": ("runner.logger.experiment_name",),
    "trainer.project_name": ("runner.logger.project_name",),
    "trainer.save_freq": (SAVE_INTERVAL,),
    "trainer.test_freq": (VALIDATE_INTERVAL,),
    "trainer.total_epochs": ("runner.max_epochs",),
    "trainer.val_only": ("runner.only_eval",),
}

# RLinf has no keys below these, so what stands there was meant for the other tree.
_OTHER_TREE = ("data.", "actor_rollout_ref.", "trainer.")


def _translated(config: RunConfig, attempt: Attempt, given: Mapping[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in given.items() if not key.lstrip("+~").startswith(_OTHER_TREE)}
    others = {key.lstrip("+"): value for key, value in given.items() if key not in own}
    shared = {key: value for key, value in others.items() if value not in (None, "null")}
    named = {key.lstrip("+"): value for key, value in own.items()}
    result: dict[str, Any] = {}
    for key, value in shared.items():
        if key in RENAMED:
            result.update(dict.fromkeys(RENAMED[key], value))
        elif key in COMPUTED:
            result.update(COMPUTED[key](config, {**shared, **named}))
        else:
            raise _refusal(key, f"has no counterpart in RLinf{_nearest(key)}; its own keys are passed on as they are")
    # An earlier attempt's checkpoint is newer than the one that the user began with.
    resume = {RESUME: attempt.checkpoint} if attempt.checkpoint else {}
    return {**{key: value for key, value in result.items() if key.lstrip("+") not in named}, **own, **resume}


def _suite(config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """The suites of LIBERO share their configurations; others have their own."""
    if not config.engine.config_name.startswith("libero_"):
        raise _refusal(
            SUITE,
            f"is {values[SUITE]}, but the configuration {config.engine.config_name} is of another environment: set it "
            'to "null"',
        )
    return {f"env.{part}.task_suite_name": values[SUITE] for part in ("train", "eval")}


def _bound(shared: str, own: str) -> Callable[[RunConfig, Mapping[str, Any]], dict[str, Any]]:
    """A success rate in units of reward: RLinf filters by a group's mean reward."""

    def compute(_config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
        return {own: _number(values, shared) * _number(values, "algorithm.reward_coef", 5.0)}

    return compute


def _rollouts(_config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """Trajectories of a step = parallel environments * rounds."""
    if TRAIN_ENVS not in values or SAMPLES not in values:
        raise _refusal(
            TRAIN, f"is train_batch_size groups of {SAMPLES}, over {TRAIN_ENVS} environments at a time: set all three"
        )
    trajectories = int(_number(values, TRAIN)) * int(_number(values, SAMPLES))
    environments = max(int(_number(values, TRAIN_ENVS)), 1)
    if trajectories % environments:
        raise _refusal(
            TRAIN,
            f"* {SAMPLES} is {trajectories}, which {TRAIN_ENVS}, {environments}, does not divide: the nearest that it "
            f"divides are {trajectories // environments * environments} and "
            f"{(trajectories // environments + 1) * environments}",
        )
    return {ROLLOUT_EPOCHS: trajectories // environments}


def _forward_passes(values: Mapping[str, Any]) -> int:
    """Samples of a trajectory: RLinf counts batches in forward passes, the other tree in trajectories."""
    steps = int(_number(values, "env.train.max_steps_per_rollout_epoch", 512))
    chunk = _number(
        values, "actor.model.num_action_chunks", _number(values, "actor_rollout_ref.model.action_chunks_len", 8)
    )
    return steps // max(int(chunk), 1)


def _mini_batch(_config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    mini = int(_number(values, MINI))
    if TRAIN in values and SAMPLES in values:
        trajectories = int(_number(values, TRAIN)) * int(_number(values, SAMPLES))
        if mini < 1 or trajectories % mini:
            raise _refusal(MINI, f"is {mini}, but must divide {TRAIN} * {SAMPLES}, which is {trajectories}")
    return {GLOBAL_BATCH: mini * _forward_passes(values)}


def _micro_batch(config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """RLinf's is of one rank."""
    return {MICRO_BATCH: max(int(_number(values, MICRO)) // config.world_size, 1) * _forward_passes(values)}


def _loggers(_config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """RLinf knows neither console nor mlflow; both stand for the files that TensorBoard's logger writes."""
    wished = values[LOGGER] if isinstance(values[LOGGER], list) else [values[LOGGER]]
    others = [name for name in wished if name not in ("console", "mlflow", "tensorboard")]
    return {LOGGERS: ["tensorboard", *others]}


COMPUTED: Mapping[str, Callable[[RunConfig, Mapping[str, Any]], dict[str, Any]]] = {
    SUITE: _suite,
    TRAIN: _rollouts,
    MINI: _mini_batch,
    MICRO: _micro_batch,
    LOWER: _bound(LOWER, "algorithm.rewards_lower_bound"),
    UPPER: _bound(UPPER, "algorithm.rewards_upper_bound"),
    LOGGER: _loggers,
}


def _program(start: Start) -> tuple[str, ...]:
    script = f"{_examples(start)}/{_script(start)}"
    return (
        *("python3", "-u", "-m", f"{carried.PACKAGE}.patches.drive", "--script", script),
        *("--config-path", config_folder(start.config), "--config-name", _config_name(start)),
    )


def config_folder(config: RunConfig) -> str:
    """Where the configurations are."""
    return config.engine.config_folder or f"{config.engine.code}/examples/embodiment/config"


def _script(start: Start) -> str:
    """As the tree's own scripts choose: run_async.sh, run_offline_rl.sh and run_embodiment.sh."""
    words = _config_name(start).split("_")
    if "async" in words:
        return "train_async.py"
    return "train_offline_rl.py" if "iql" in words else "train_embodied_agent.py"


def _config_name(start: Start) -> str:
    if not start.config.engine.config_name:
        raise _missing(
            "training.rlinf.configName", "name one of the configurations of RLinf, such as libero_10_grpo_openvlaoft"
        )
    return start.config.engine.config_name


def _examples(start: Start) -> str:
    if not start.config.engine.code:
        raise _missing("training.code", "name the folder of a clone of RLinf: the installed package has no scripts")
    return f"{start.config.engine.code}/examples/embodiment"


def _keys(start: Start) -> dict[str, Any]:
    wandb = ["wandb"] if "WANDB_PROJECT" in start.environ else []
    return {
        "cluster.num_nodes": start.config.nodes.count,
        "runner.logger.log_path": start.attempt.folder,
        "runner.logger.project_name": start.environ.get("WANDB_PROJECT", "rlinf"),
        "runner.logger.experiment_name": start.config.name,
        LOGGERS: ["tensorboard", *wandb],
    }


def _environment(start: Start) -> dict[str, str]:
    """As the tree's own script sets it; RLinf hands its driver's variables on to all workers."""
    wished = {
        "HYDRA_FULL_ERROR": "1",
        "LIBERO_TYPE": "standard",
        "MUJOCO_GL": "egl",
        "PYOPENGL_PLATFORM": "egl",
        "ROBOT_PLATFORM": "ALOHA" if "robotwin" in _config_name(start) else "LIBERO",
        **carried.patches("rlinf", start.config.engine.patches_off),
    }
    return {
        **{name: start.environ.get(name, value) for name, value in wished.items()},
        "EMBODIED_PATH": _examples(start),
        "HF_MODULES_CACHE": start.attempt.modules_cache,
        "PYTHONPATH": carried.python_path(start.config.engine.code, start.environ),
        "PYTHONPYCACHEPREFIX": start.attempt.pycache,
        "REPO_PATH": start.config.engine.code,
    }


def _faults(start: Start, values: Mapping[str, Any]) -> list[str]:
    """What rlinf/config.py asserts of sizes that the user named, with every component on all GPUs."""
    ranks = start.config.world_size
    sizes = {key: int(_number(values, key)) for key in _SIZES if key in values}
    return [*_environments(sizes, ranks), *_batches(sizes, ranks), *_intervals(sizes)]


def _environments(sizes: Mapping[str, int], ranks: int) -> Iterator[str]:
    for key in (TRAIN_ENVS, EVAL_ENVS):
        size = sizes.get(key, ranks)
        if size < 1 or size % ranks:
            yield f"{key} is {size}, which is divided among {ranks} ranks: {multiples(size, ranks)}"
    group, envs = sizes.get(GROUP_SIZE), sizes.get(TRAIN_ENVS)
    if group is not None and group < 2:
        yield f"{GROUP_SIZE} is {group}: a group of one has no advantage to learn from; the least is 2"
    elif group is not None and envs is not None and envs % (ranks * group):
        yield (
            f"{TRAIN_ENVS} is {envs}, but each of {ranks} ranks takes whole groups of {group}: "
            f"{multiples(envs, ranks * group)}"
        )


def _batches(sizes: Mapping[str, int], ranks: int) -> Iterator[str]:
    batch, micro = sizes.get(GLOBAL_BATCH), sizes.get(MICRO_BATCH)
    if batch is not None and micro is not None and (micro < 1 or batch % (ranks * micro)):
        yield (
            f"{GLOBAL_BATCH} is {batch}, but must hold whole micro batches of {micro} on each of {ranks} ranks: "
            f"{multiples(batch, ranks * max(micro, 1))}"
        )


def _intervals(sizes: Mapping[str, int]) -> Iterator[str]:
    save, validate = sizes.get(SAVE_INTERVAL, 0), sizes.get(VALIDATE_INTERVAL, 0)
    if save > 0 and validate > 0 and save % validate:
        yield (
            f"{SAVE_INTERVAL} is {save}, but RLinf saves after a validation, every {validate} steps: "
            f"{multiples(save, validate)}"
        )


_SIZES = (TRAIN_ENVS, EVAL_ENVS, GROUP_SIZE, GLOBAL_BATCH, MICRO_BATCH, SAVE_INTERVAL, VALIDATE_INTERVAL)


def _number(values: Mapping[str, Any], key: str, default: float | None = None) -> float:
    value = values.get(key, default)
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        raise _refusal(key, f"is {value!r}, but must be a number: others follow from it") from None


def _nearest(key: str) -> str:
    # Dotted keys are long, and those of one section much alike.
    match = difflib.get_close_matches(key, [*RENAMED, *COMPUTED], n=1, cutoff=0.9)
    return f" (did you mean {match[0]}?)" if match else ""


def _refusal(key: str, words: str) -> BootstrapError:
    return BootstrapError(ExitCode.CONFIG, f"training.hydra.{key} {words}")


def _missing(key: str, remedy: str) -> BootstrapError:
    return BootstrapError(ExitCode.CONFIG, f"{key} is empty: {remedy}")


RLINF = Engine(
    program=_program,
    keys=_keys,
    translated=_translated,
    environment=_environment,
    files=lambda _: {},
    faults=_faults,
)
