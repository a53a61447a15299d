"""Where the bootstrap itself lies, for the processes that the engine starts: they apply its patches."""

from collections.abc import Mapping
from pathlib import Path

_PARTS = __name__.split(".")

# `launch` in a pod, `rlinf_runtime.bootstrap` where it is installed.
PACKAGE = ".".join(_PARTS[:-2])
# The folder from which the package is imported.
FOLDER = str(Path(__file__).parents[len(_PARTS) - 1])


def python_path(code: str, environ: Mapping[str, str]) -> str:
    """PYTHONPATH by which the bootstrap is found, and the engine's code before whatever is installed."""
    return ":".join(part for part in (code, FOLDER, environ.get("PYTHONPATH", "")) if part)


def patches(engine: str, patches_off: list[str]) -> dict[str, str]:
    """The variables that patches/ reads in every process."""
    return {"RLINF_ENGINE": engine, "RLINF_PATCHES_OFF": ",".join(patches_off)}
