"""The pod's memory against the weights: every rank of a node holds them in host memory before they are on its GPU."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .finding import Finding, size
from .model import float32_bytes
from .plan import plan_of

_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")


def check(config: RunConfig, environ: Mapping[str, str], *, cgroup: Path = Path("/sys/fs/cgroup")) -> Iterator[Finding]:
    """Compares the container's limit with one copy of the weights in float32 for each rank of the node."""
    model = plan_of(config, environ).model_path
    limit = limit_bytes(cgroup)
    ranks = max(config.nodes.gpus, 1)
    need = float32_bytes(Path(model)) * ranks if model else 0
    if limit is not None and need > limit:
        yield Finding(
            key="nodes.resources.limits.memory",
            wrong=f"is {size(limit)}, while {ranks} ranks load {size(need)} of float32 weights at once",
            remedy="the kernel may kill a rank without a word; raise the limit, or leave it out on a node of its own",
            is_fatal=False,
        )


def limit_bytes(cgroup: Path) -> int | None:
    """The container's memory limit; None: the machine's own."""
    for name in _LIMITS:
        try:
            text = (cgroup / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        # Version 1 says "no limit" by a number beyond all memory.
        return int(text) if text.isdecimal() and int(text) < 1 << 60 else None
    return None
