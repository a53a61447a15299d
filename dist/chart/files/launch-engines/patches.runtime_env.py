"""The runtime environment that carries the patches into every Ray worker of a job."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..engines import carried

_KEY = "worker_process_setup_hook"
_HOOK = f"{carried.PACKAGE}.patches.setup.setup"
_VARIABLES = ("RLINF_ENGINE", "RLINF_PATCHES_OFF", "RLINF_VIDEO_FOLDER")


def with_patches(runtime_env: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """A job's runtime environment with the patches' setup hook in it, and what that needs.

    Args:
        runtime_env: what the engine or the user wants; its variables win.
        environ: of the driver.

    Raises:
        ValueError: it names another setup hook, and Ray runs only one.
    """
    if (other := runtime_env.get(_KEY, _HOOK)) != _HOOK:
        raise ValueError(
            f"the runtime environment names {other!r} as its {_KEY}, but it must be {_HOOK!r}: Ray runs one hook only"
        )
    variables = {name: environ[name] for name in _VARIABLES if name in environ} | runtime_env.get("env_vars", {})
    variables["PYTHONPATH"] = _with_package(variables.get("PYTHONPATH", environ.get("PYTHONPATH", "")))
    return {**runtime_env, _KEY: _HOOK, "env_vars": variables}


def _with_package(path: str) -> str:
    folders = [folder for folder in path.split(os.pathsep) if folder]
    # Last, for packages beside ours must not come before the engine's code.
    return os.pathsep.join(folders if carried.FOLDER in folders else [*folders, carried.FOLDER])
