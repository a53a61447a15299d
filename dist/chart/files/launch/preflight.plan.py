"""What the checks need to know of the engine's start: its values, and what follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import hydra
from ..attempt import preview
from ..engines.launch import launch
from ..exit_codes import BootstrapError
from ..run_config import RunConfig

_MODEL_KEYS = ("actor_rollout_ref.model.path", "actor.model.model_path")
_SUITE_KEYS = ("actor_rollout_ref.rollout.task_suite_name", "data.task_suite_name", "env.train.task_suite_name")
_UNNORM_KEY = "actor_rollout_ref.rollout.unnorm_key"
_VLA_KEY = "actor_rollout_ref.model.vla"


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What one run asks of a node.

    Attributes:
        model_key: the key of the values for the model's folder.
        model_path: that folder; "": it is not said, or not a local one.
        unnorm_key: of the statistics by which actions are scaled back; "": none is needed.
        vla: the kind of model, as the engine verl names it; "" for the other engines.
        is_libero: whether the tasks are LIBERO's.
        renders: whether ranks render by OpenGL.
    """

    model_key: str
    model_path: str
    unnorm_key: str
    vla: str
    is_libero: bool
    renders: bool


def plan_of(config: RunConfig, environ: Mapping[str, str]) -> Plan:
    """Reads the engine's values; of a start that is refused, the user's alone."""
    try:
        values = launch(config, preview(config), environ).values
    except BootstrapError:
        values = {key.lstrip("+~"): value for key, value in hydra.flatten(config.engine.hydra).items()}
    name = config.engine.name
    model_key = next((key for key in _MODEL_KEYS if key in values), _MODEL_KEYS[0])
    path = _text(values, model_key)
    is_libero = name != "native" and any(
        word.startswith("libero") for word in (config.engine.config_name, *(_text(values, key) for key in _SUITE_KEYS))
    )
    return Plan(
        model_key=f"training.hydra.{model_key}",
        # Others are names of a hub, or Hydra's own references.
        model_path=path if path.startswith("/") and "${" not in path else "",
        unnorm_key=_text(values, _UNNORM_KEY) if name == "verl" else "",
        vla=_text(values, _VLA_KEY) if name == "verl" else "",
        is_libero=is_libero,
        renders=name == "native" or is_libero,
    )


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""
