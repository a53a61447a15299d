"""The contract: the native engine's keys in the chart are those of the trainer's own configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rlinf_runtime.trainer.config as trainer_config
from rlinf_charts.values.hydra import NativeHydra
from rlinf_constructs.helm import yaml_io


def leaves(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested map as dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        flat |= leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def test_keys_and_defaults_are_those_of_the_trainer() -> None:
    """Each key of train.yaml is in the chart with the same default, and no other."""
    packaged = yaml_io.load_file(Path(trainer_config.__path__[0]) / "train.yaml")

    assert leaves(NativeHydra().model_dump()) == leaves(packaged)
