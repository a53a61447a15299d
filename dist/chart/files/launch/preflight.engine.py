"""The engine's start and its code: what can be run at all, seen before any node waits for another."""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..attempt import preview
from ..engines.launch import launch
from ..exit_codes import BootstrapError
from ..run_config import RunConfig
from ..staging import engine_code
from .finding import Finding
from .plan import Plan, plan_of

# What must be there of the engine: its package, and a file in the folder that holds the package or the tree.
_PACKAGES = {"native": "rlinf_runtime", "verl": "verl", "rlinf": "rlinf"}
_ENTRIES = {"verl": "verl/trainer/main_ppo.py", "rlinf": "examples/embodiment/train_embodied_agent.py"}


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Resolves the start, as over batches that do not divide, and looks for the code that it runs on this node."""
    try:
        launch(config, preview(config), environ)
    except BootstrapError as error:
        yield Finding(key="training", wrong="describes no start of the engine", remedy=str(error))
    yield from _code(config)
    yield from _model_code(config, plan_of(config, environ))


def _code(config: RunConfig) -> Iterator[Finding]:
    name, code = config.engine.name, config.engine.code
    entry = _ENTRIES.get(name)
    if code and entry and not Path(code, entry).is_file():
        yield Finding(
            key="training.code",
            wrong=f"is {code}, where {entry} is not on this node",
            remedy=f"name the engine {name}'s source tree, in the image or on a volume that every node mounts",
        )
    elif not code and not _is_installed(_PACKAGES[name]):
        yield Finding(
            key="image",
            wrong=f"has no package {_PACKAGES[name]} for {sys.executable}",
            remedy=f"use an image with the engine {name}, or name its source tree in training.code",
        )


def _is_installed(package: str) -> bool:
    """Whether it can be imported; a mere folder of that name, as a clone in the working directory, has no origin."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None


def _model_code(config: RunConfig, plan: Plan) -> Iterator[Finding]:
    """What is staged beside the weights is the engine's file, or the model's where only that has what is called."""
    files = {path.name: path for path in engine_code.files_for(plan.vla, engine_code.find_tree(config.engine.code))}
    for name, needed in engine_code.NEEDED.get(plan.vla, {}).items():
        places = [
            *([files[name]] if name in files else []),
            *([Path(plan.model_path, name)] if plan.model_path else []),
        ]
        if places and not any(_defines(path, needed) for path in places):
            yield Finding(
                key=plan.model_key,
                wrong=f"needs {needed}, which neither {' nor '.join(map(str, places))} defines",
                remedy="copy the model's own file again, or name the engine's source tree in training.code",
            )


def _defines(path: Path, name: str) -> bool:
    try:
        return engine_code.defines(path, name)
    except engine_code.CodeError:
        return False
