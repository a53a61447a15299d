"""What the checks need to know of the engine: its suite, its model, and whether it renders."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import hydra
from ..run_config import RunConfig

_LIBERO = "libero"
_MODEL_KEYS = {
    "native": "actor_rollout_ref.model.path",
    "verl": "actor_rollout_ref.model.path",
    "rlinf": "actor.model.model_path",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What one run asks of a node.

    Attributes:
        suite: of tasks; "": the engine's own choice.
        model_key: the engine's key for the folder of the model.
        model_path: that folder; "": it is not said, or not a local one.
        unnorm_key: of the statistics by which actions are scaled back; "": none is needed.
        is_libero: whether the suite is one of LIBERO's.
        renders: whether ranks render by OpenGL.
    """

    suite: str
    model_key: str
    model_path: str
    unnorm_key: str
    is_libero: bool
    renders: bool


def plan_of(config: RunConfig) -> Plan:
    """Reads the user's keys, with what the engine takes where they are silent."""
    given = {key.lstrip("+~"): value for key, value in hydra.flatten(config.engine.hydra).items()}
    name = config.engine.name
    suite = _text(given, "data.task_suite_name", "libero_10" if name == "verl" else "")
    model_key = _MODEL_KEYS[name]
    path = _text(given, model_key, "")
    is_libero = name != "native" and _LIBERO in suite
    return Plan(
        suite=suite,
        model_key=f"training.hydra.{model_key}",
        # Others are names of a hub, or Hydra's own references.
        model_path=path if path.startswith("/") and "${" not in path else "",
        unnorm_key=_text(given, "actor_rollout_ref.rollout.unnorm_key", suite) if name == "verl" else "",
        is_libero=is_libero,
        renders=name == "native" or is_libero,
    )


def _text(given: Mapping[str, Any], key: str, otherwise: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) and value else otherwise
