"""The beginning of a start of the engine: what it goes on from, and folders of its own."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import hydra, log
from ..attempt import Attempt, preview
from ..exit_codes import BootstrapError, ExitCode
from ..run_config import EngineName, RunConfig
from . import attempts, checkpoints, engine_code, model_folder, modules_cache, vain_attempts, weights
from .attempts import AttemptFolder, Record
from .checkpoints import Checkpoint

logger = log.of_step("stage")

# Where an engine writes: each start gets a folder of its own instead.
_OUTPUT_KEYS = {"verl": "trainer.default_local_dir", "rlinf": "runner.logger.log_path"}
_MODEL_PATH = "actor_rollout_ref.model.path"
# RLinf's own name for it; the shared one is translated.
_MODEL_PATHS = (_MODEL_PATH, "actor.model.model_path")
_VLA = "actor_rollout_ref.model.vla"
# SimpleVLA-RL's own default.
_DEFAULT_VLA = "openvla-oft"
_WEIGHTS_ONLY = "weights only: the optimizer, the learning rate's schedule, the data's order and the steps start anew"


def begin(config: RunConfig) -> Attempt:
    """Finds what this start goes on from, and makes its folders.

    Raises:
        BootstrapError: (`CONFIG`) `resume` names no complete checkpoint; (`PREFLIGHT`) the model is not whole, or the
            run folder cannot be written.
    """
    if config.engine.name == "native":
        return _of_native(config)
    try:
        return _begin(config)
    except OSError as error:
        raise BootstrapError(
            ExitCode.PREFLIGHT, f"cannot make the folder of this start in {config.folder}/attempts: {error}"
        ) from error


def _of_native(config: RunConfig) -> Attempt:
    """It keeps and finds its own checkpoints in the run folder; `resume` becomes its key trainer.resume_mode."""
    if config.resume not in ("auto", "never"):
        raise BootstrapError(
            ExitCode.CONFIG,
            f'training.resume is "{config.resume}", but the native engine takes "auto" or "never": to start from the '
            f"weights of another run, set training.hydra.{_MODEL_PATH} to the policy/ folder of its checkpoint",
        )
    return preview(config)


def _begin(config: RunConfig) -> Attempt:
    folder = Path(config.folder)
    given = {key.lstrip("+"): value for key, value in hydra.flatten(config.engine.hydra).items()}
    _refuse_other_folder(config.engine.name, given)
    model = _model(given)
    earlier = attempts.attempts_in(folder)
    origin = _origin(config, earlier, model)
    vain_attempts.remove(earlier)
    attempt = attempts.claim(folder)
    record = Record(
        resume=config.resume,
        model=model,
        checkpoint=str(origin.folder) if origin else "",
        first_step=origin.steps if origin else 0,
        first_epoch=origin.epochs if origin else 0,
    )
    attempt.write_record(record)
    is_weights_only = config.engine.name == "verl"
    if origin:
        how = _WEIGHTS_ONLY if is_weights_only else "optimizer and steps included"
        logger.info("start %d goes on from %s (%d steps), %s", attempt.number, origin.folder, origin.steps, how)
    else:
        logger.info(
            "start %d begins with %s", attempt.number, model or "the model that the engine's configuration names"
        )
    start = replace(
        preview(config),
        number=attempt.number,
        folder=str(attempt.path),
        checkpoint=str(origin.folder) if origin and not is_weights_only else None,
        first_step=record.first_step,
        first_epoch=record.first_epoch,
    )
    if not (is_weights_only and Path(model).is_dir()):
        return start
    vla = str(given.get(_VLA, _DEFAULT_VLA))
    _stage(config.engine.code, attempt, model=Path(model), checkpoint=origin.folder if origin else None, vla=vla)
    return replace(start, model_path=str(attempt.model), modules_cache=str(attempt.modules))


def _refuse_other_folder(engine: EngineName, given: Mapping[str, Any]) -> None:
    key = _OUTPUT_KEYS.get(engine, "")
    if key in given:
        raise BootstrapError(
            ExitCode.CONFIG,
            f"training.hydra.{key} is {given[key]}, where each start of the engine would overwrite what the one before "
            "has saved: leave it out, and each start writes into a folder of its own in the run folder",
        )


def _model(given: Mapping[str, Any]) -> str:
    """The model that the user's keys name, as a path without a trailing slash or as a name on a hub; "": none."""
    key = next((key for key in _MODEL_PATHS if given.get(key)), _MODEL_PATH)
    path = str(given.get(key) or "").rstrip("/")
    if path.startswith("/") and not Path(path).is_dir():
        raise BootstrapError(
            ExitCode.PREFLIGHT,
            f"training.hydra.{key} is {path}, but there is no such folder in this pod: mount the volume that "
            "holds it, or correct the path",
        )
    return path


def _origin(config: RunConfig, earlier: list[AttemptFolder], model: str) -> Checkpoint | None:
    """The checkpoint to go on from, by the run's `resume`."""
    engine, resume = config.engine.name, config.resume
    if resume == "never":
        return None
    records = [(attempt, attempt.record()) for attempt in earlier]
    if resume == "auto":
        others = [attempt.number for attempt, record in records if record and record.model != model]
        if others:
            logger.info("starts %s trained another model, so their checkpoints do not count", others)
        return checkpoints.newest(engine, [attempt for attempt, record in records if record and record.model == model])
    # What was trained since from the named checkpoint is newer than it.
    since = [attempt for attempt, record in records if record and record.resume == resume]
    return checkpoints.newest(engine, since) or _named(config, earlier)


def _named(config: RunConfig, earlier: list[AttemptFolder]) -> Checkpoint:
    folder = Path(config.resume)
    try:
        checkpoints.check(config.engine.name, folder)
    except weights.IncompleteError as error:
        raise BootstrapError(
            ExitCode.CONFIG,
            f"training.resume is {folder}, but that is no complete checkpoint of engine {config.engine.name}: {error}",
        ) from error
    return checkpoints.within(config.engine.name, earlier, folder)


def _stage(code: str, attempt: AttemptFolder, *, model: Path, checkpoint: Path | None, vla: str) -> None:
    """Makes the model folder of SimpleVLA-RL and the cache for its code."""
    tree = engine_code.find_tree(code)
    try:
        model_folder.stage(model=model, checkpoint=checkpoint, tree=tree, vla=vla, into=attempt.model)
    except (weights.IncompleteError, engine_code.CodeError) as error:
        raise BootstrapError(
            ExitCode.PREFLIGHT,
            f"the model folder {model} (training.hydra.{_MODEL_PATH}) with the engine's code from "
            f"{tree or 'nowhere (set training.code)'} is of no use: {error}",
        ) from error
    modules_cache.lay_out(attempt.model, attempt.modules)
