"""Composes a Hydra configuration as an engine would: `python3 -m ...compose_probe FOLDER NAME OVERRIDE...`.

Prints one JSON object: {"values": {dotted key: leaf}}, {"error": why it cannot be composed}, or {} where this Python
has no Hydra. It is a program of its own, since Hydra belongs to the engine and keeps a global state.
"""

import json
import sys
from importlib import import_module
from typing import Any


def main(folder: str, name: str, overrides: list[str]) -> dict[str, Any]:
    """What is printed."""
    try:
        hydra, omegaconf = import_module("hydra"), import_module("omegaconf")
    except ImportError:
        return {}
    try:
        with hydra.initialize_config_dir(folder, version_base="1.1"):
            config = hydra.compose(name, overrides)
        leaves = _leaves(omegaconf.OmegaConf.to_container(config), "")
    except Exception as error:  # noqa: BLE001 - Hydra's, OmegaConf's and YAML's own, without a common base
        return {"error": " ".join(str(error).split())}
    return {"values": {key: _resolved(omegaconf, config, key, leaf) for key, leaf in leaves.items()}}


def _leaves(tree: Any, prefix: str) -> dict[str, Any]:
    if not isinstance(tree, dict) or not tree:
        return {prefix.rstrip("."): tree}
    return {key: leaf for name, below in tree.items() for key, leaf in _leaves(below, f"{prefix}{name}.").items()}


def _resolved(omegaconf: Any, config: Any, key: str, leaf: Any) -> Any:
    """A reference's value; some are of variables that only a worker has, and stay texts."""
    if not (isinstance(leaf, str) and "${" in leaf):
        return leaf
    try:
        return omegaconf.OmegaConf.select(config, key)
    except omegaconf.errors.OmegaConfBaseException:
        return leaf


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3:]), default=str))
