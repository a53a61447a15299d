"""RLinf's own configuration with the user's keys: a key that it lacks, and sizes that only its YAML holds.

The standard library reads no YAML. So the engine's Python composes it in a process of its own, where it has Hydra.
"""

import difflib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from .. import log
from ..attempt import preview
from ..engines import carried, rlinf_sizes
from ..engines.launch import Launch, launch
from ..engines.rlinf import config_folder
from ..exit_codes import BootstrapError
from ..run_config import RunConfig
from .child import ChildError, ask
from .finding import Finding

logger = log.of_step("check")

_ANSWER_S = 60.0
_PROBE = f"{carried.PACKAGE}.preflight.compose_probe"


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Composes the configuration, and holds its sizes against the number of ranks."""
    if config.engine.name != "rlinf":
        return
    try:
        start = launch(config, preview(config), environ)
    except BootstrapError:
        # The check of the engine's start says why.
        return
    folder, name = Path(config_folder(config)), config.engine.config_name
    if not folder.is_dir():
        # Of a tree that is not here, the check of the engine's code speaks.
        logger.info("RLinf's configuration is not checked: %s is not on this node", folder)
    elif not (folder / f"{name}.yaml").is_file():
        yield Finding(
            key="training.rlinf.configName",
            wrong=f"is {name}, which {folder} does not have",
            remedy=_nearest(folder, name),
        )
    else:
        yield from _of_composed(config, _composed(folder, name, start, environ))


def _composed(folder: Path, name: str, start: Launch, environ: Mapping[str, str]) -> dict[str, object]:
    """The answer of the probe; {}: there is none."""
    command = [sys.executable, "-m", _PROBE, str(folder), name, *start.overrides]
    try:
        answer = json.loads(ask(command, {**environ, **start.environment}, within_s=_ANSWER_S))
    except (ChildError, ValueError) as error:
        logger.warning("RLinf's configuration is not checked: %s", error)
        return {}
    if not answer:
        logger.info("RLinf's configuration is not checked: %s has no Hydra", sys.executable)
    return answer


def _of_composed(config: RunConfig, answer: Mapping[str, object]) -> Iterator[Finding]:
    name = config.engine.config_name
    if "error" in answer:
        yield Finding(key="training.hydra", wrong=f"does not fit RLinf's {name}", remedy=str(answer["error"]))
    values = answer.get("values")
    if isinstance(values, dict):
        for fault in rlinf_sizes.faults(values, config.world_size):
            yield Finding(key="training.hydra", wrong=f"on top of RLinf's {name} cannot run", remedy=fault)


def _nearest(folder: Path, name: str) -> str:
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    if not names:
        return "it has none at all; correct training.rlinf.configFolder"
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.75)
    return f"near it are {', '.join(near)}" if near else f"it has {len(names)}, from {names[0]} to {names[-1]}"
