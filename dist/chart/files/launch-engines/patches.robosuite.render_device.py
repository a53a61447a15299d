"""robosuite takes a GPU's number in CUDA for its number in EGL, which counts other devices in another order.

Ray shows each rank one GPU, in CUDA_VISIBLE_DEVICES. EGL goes on listing all that the driver sees, and Mesa's besides;
on some drivers only the visible one. So a rank renders on another rank's GPU, or its environments cannot be created.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from ...preflight import render_probe
from .. import target
from ..patch import APPLIED, Outcome, Patch

_FUNCTION = "create_initialized_egl_device_display"
_VARIABLE = "MUJOCO_EGL_DEVICE_ID"


def _apply(module: ModuleType) -> Outcome:
    target.function(module, _FUNCTION, ("device_id",), uses=("CUDA_VISIBLE_DEVICES", _VARIABLE))
    target.replace(module, _FUNCTION, _on_own_device)
    return APPLIED


def _on_own_device(original: target.Function) -> target.Function:
    def create_initialized_egl_device_display(device_id: int = 0) -> Any:
        given = os.environ.get(_VARIABLE)
        # The name of a GPU in CUDA is no choice of a user's.
        if given not in (None, os.environ.get("CUDA_VISIBLE_DEVICES")):
            return original(device_id)
        os.environ[_VARIABLE] = str(_own_device())
        try:
            return original(-1)
        finally:
            os.environ.pop(_VARIABLE)
            if given is not None:
                os.environ[_VARIABLE] = given

    return create_initialized_egl_device_display


def _own_device() -> int:
    """Which of EGL's devices is the first GPU that CUDA shows here; without such a one, the first that there is."""
    try:
        numbers = render_probe.cuda_numbers()
    except OSError:
        return 0
    return numbers.index(0) if 0 in numbers else 0


PATCH = Patch(
    name="render-device",
    engines=("verl",),
    modules=("robosuite.renderers.context.egl_context",),
    about="Ranks after the first render on another rank's GPU, or cannot create environments; each takes its own.",
    apply=_apply,
)
