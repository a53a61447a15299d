"""Room in the run folder for the next checkpoint, which would otherwise fail after hours of training."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .finding import Finding, size
from .model import float32_bytes
from .plan import plan_of

_LEAST_BYTES = 64 << 20
# verl saves the weights alone; RLinf also the optimizer's two moments.
_COPIES = {"native": 3, "verl": 1, "rlinf": 3}


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Compares what is free with an estimate from the size of the model's weights."""
    model = plan_of(config, environ).model_path
    weights = float32_bytes(Path(model)) if model else 0
    need = max(_LEAST_BYTES, weights * _COPIES[config.engine.name])
    try:
        found = os.statvfs(config.folder)
    except OSError:
        # The run folder has a check of its own.
        return
    free = found.f_frsize * found.f_bavail
    if free < need:
        yield Finding(
            key="storage.checkpoints" if weights else "storage.runs",
            wrong=f"has {size(free)} free in {config.folder}, while a checkpoint takes about {size(need)}",
            remedy="delete old checkpoints, enlarge the volume, or save to another one",
        )
