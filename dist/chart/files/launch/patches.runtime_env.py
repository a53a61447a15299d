"""The runtime environment that carries the patches into every Ray worker of a job."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_HOOK = "worker_process_setup_hook"
_VARIABLES = ("RLINF_ENGINE", "RLINF_PATCHES_OFF", "RLINF_VIDEO_FOLDER")


def with_patches(runtime_env: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """A job's runtime environment with the patches' setup hook in it, and what that needs.

    Args:
        runtime_env: what the engine or the user wants; its variables win.
        environ: of the driver.

    Raises:
        ValueError: it names another setup hook, and Ray runs only one.
    """
    package = __package__ or ""
    hook = f"{package}.setup.setup"
    if (other := runtime_env.get(_HOOK, hook)) != hook:
        raise ValueError(
            f"the runtime environment names {other!r} as its {_HOOK}, but it must be {hook!r}: Ray runs one hook only. "
            "Remove yours, or switch off all patches"
        )
    wanted = runtime_env.get("env_vars", {})
    variables = {name: environ[name] for name in _VARIABLES if name in environ} | wanted
    variables["PYTHONPATH"] = _first(_root(package), variables.get("PYTHONPATH", environ.get("PYTHONPATH", "")))
    return {**runtime_env, _HOOK: hook, "env_vars": variables}


def _root(package: str) -> str:
    """The folder from which workers import this package; the same on every node."""
    return str(Path(os.path.abspath(__file__)).parents[len(package.split("."))])  # noqa: PTH100 - keeps links


def _first(folder: str, path: str) -> str:
    others = [each for each in path.split(os.pathsep) if each not in {"", folder}]
    return os.pathsep.join([folder, *others])
