"""What a person sees who asks the trainer for help."""

from __future__ import annotations

import subprocess
import sys

import yaml

from rlinf_runtime.trainer.config.load import config_keys


def test_help_lists_every_key() -> None:
    """`--help` is no override: it prints how to call the trainer, and all keys as YAML after the first empty line."""
    done = subprocess.run(
        [sys.executable, "-m", "rlinf_runtime.trainer", "--help"], capture_output=True, text=True, check=True
    )
    usage, _, keys = done.stdout.split("\n\n", maxsplit=2)
    assert usage.startswith("usage: python -u -m rlinf_runtime.trainer [KEY=VALUE ...]")
    assert _leaves(yaml.safe_load(keys)) == list(config_keys())


def _leaves(tree: dict[str, object], prefix: str = "") -> list[str]:
    leaves: list[str] = []
    for name, value in tree.items():
        leaves += _leaves(value, f"{prefix}{name}.") if isinstance(value, dict) else [prefix + name]
    return leaves
