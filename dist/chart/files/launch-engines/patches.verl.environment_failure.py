"""A simulator that cannot start is tried for ever, and its parent learns only that a queue stayed empty."""

from __future__ import annotations

import os
import traceback
from types import ModuleType
from typing import Any, NoReturn

from ... import log
from .. import target
from ..patch import APPLIED, Outcome, Patch

logger = log.of_step("patches")

_ATTEMPTS = 3
_PARAMETERS = (
    "task_name",
    "task_id",
    "trial_id",
    "config",
    "input_queue",
    "output_queue",
    "is_valid",
    "global_steps",
    "max_steps",
)


class Failure:
    """Goes to the parent in the place of an observation, and raises the reason where the parent reads it."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __getitem__(self, key: str) -> NoReturn:
        raise RuntimeError(self._reason)


def _apply(module: ModuleType) -> Outcome:
    target.function(module, "env_worker", _PARAMETERS, uses=("get_libero_env",))
    target.replace(module, "env_worker", lambda original: _telling(module, original))
    return APPLIED


def _telling(module: ModuleType, original: target.Function) -> target.Function:
    def env_worker(*arguments: Any) -> None:
        given = dict(zip(_PARAMETERS, arguments, strict=True))
        output_queue = given["output_queue"]
        environment = f"the environment of {given['task_name']}, task {given['task_id']}, trial {given['trial_id']}"
        try:
            # This process is the environment's own: what is changed in the module here is changed for nobody else.
            vars(module)["get_libero_env"] = _bounded(module.get_libero_env, environment, output_queue)
            original(*arguments)
        except Exception as error:
            _tell(output_queue, f"{environment} failed: {_text(error)}")
            raise

    return env_worker


def _bounded(create: target.Function, environment: str, output_queue: Any) -> target.Function:
    def get_libero_env(*arguments: Any, **keywords: Any) -> Any:
        reason = ""
        for attempt in range(1, _ATTEMPTS + 1):
            created, reason = _attempt(create, arguments, keywords)
            if not reason:
                return created
            logger.warning("%s: attempt %d of %d to create it: %s", environment, attempt, _ATTEMPTS, reason)
        _tell(
            output_queue,
            f"{environment} could not be created in {_ATTEMPTS} attempts: {reason}. Look at MUJOCO_GL and "
            "MUJOCO_EGL_DEVICE_ID, and whether the container has NVIDIA_DRIVER_CAPABILITIES=all",
        )
        # The caller catches everything and tries again, so there is no other way out of this process.
        os._exit(1)

    return get_libero_env


def _attempt(create: target.Function, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, str]:
    """What was created, and why nothing was."""
    try:
        return create(*arguments, **keywords), ""
    except Exception as error:  # noqa: BLE001 - MuJoCo, EGL and LIBERO raise whatever they like
        return None, _text(error)


def _tell(output_queue: Any, reason: str) -> None:
    output_queue.put(Failure(reason))
    output_queue.close()
    output_queue.join_thread()


def _text(error: Exception) -> str:
    return "".join(traceback.format_exception_only(type(error), error)).strip()


PATCH = Patch(
    name="environment-failure",
    engines=("verl",),
    modules=("verl.workers.rollout.rob_rollout",),
    about=(
        "A failing environment is created again for ever and the parent sees queue.Empty; "
        f"after {_ATTEMPTS} attempts the rollout ends with the reason, as it does for errors in a step."
    ),
    apply=_apply,
)
