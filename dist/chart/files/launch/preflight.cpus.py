"""The CPUs that this pod may use: each GPU's rank takes one of Ray's, and would wait for ever without it."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .finding import Finding


def check(config: RunConfig, environ: Mapping[str, str], *, cgroup: Path = Path("/sys/fs/cgroup")) -> Iterator[Finding]:
    """Compares the GPUs with the CPUs of the pod's limit, or of the machine."""
    del environ
    has = usable(cgroup)
    if has < config.nodes.gpus:
        yield Finding(
            key="nodes.resources.limits.cpu",
            wrong=f"leaves this pod {has:g} CPUs for {config.nodes.gpus} GPUs",
            remedy=f"each rank needs one of its own and its simulators more; give it at least {config.nodes.gpus}",
        )


def usable(cgroup: Path) -> float:
    """CPUs of the container's quota, else those that the process may run on."""
    try:
        quota, period = (cgroup / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        quota, period = "max", "1"
    has = len(os.sched_getaffinity(0))
    return has if quota == "max" else min(has, int(quota) / int(period))
