"""What `--help` prints."""

from __future__ import annotations

from importlib.resources import files

_USAGE = """\
usage: python -u -m rlinf_runtime.trainer [KEY=VALUE ...]

Train a policy on the Ray cluster that RAY_ADDRESS names, or on one of this machine; go on from an earlier run's newest
checkpoint. VALUE is read as Hydra reads it: data.n_samples=16. All keys with their defaults:
"""


def usage() -> str:
    """How to call the trainer, with the packaged `train.yaml`, which explains every key."""
    defaults = files("rlinf_runtime.trainer.config").joinpath("train.yaml").read_text(encoding="utf-8")
    return f"{_USAGE}\n{defaults}"
