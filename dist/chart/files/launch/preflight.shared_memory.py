"""Shared memory, where Ray keeps its objects and NCCL its buffers."""

import os
from collections.abc import Iterator, Mapping

from ..run_config import RunConfig
from .finding import Finding, size

_PATH = "/dev/shm"  # noqa: S108 - the file system itself
# Ray's store has at least 75 MiB; a container runtime gives 64 MiB where nothing is mounted.
_LEAST_BYTES = 128 << 20
_LEAST_BYTES_A_GPU = 1 << 30


def check(config: RunConfig, environ: Mapping[str, str], *, path: str = _PATH) -> Iterator[Finding]:
    """Compares its size with what Ray and NCCL cannot do without."""
    del environ
    need = max(_LEAST_BYTES, config.nodes.gpus * _LEAST_BYTES_A_GPU)
    try:
        found = os.statvfs(path)
    except OSError as error:
        yield Finding(
            key="nodes.sharedMemory",
            wrong=f"mounts no {path} here ({error.strerror})",
            remedy=f"mount a volume of medium Memory with at least {size(need)} there",
        )
        return
    has = found.f_frsize * found.f_blocks
    if has < need:
        yield Finding(
            key="nodes.sharedMemory",
            wrong=f"leaves {path} {size(has)}",
            remedy=f"Ray's objects and NCCL's buffers lie there; give it at least {size(need)}",
        )
    elif (free := found.f_frsize * found.f_bavail) < need:
        yield Finding(
            key=path,
            wrong=f"has {size(free)} free of {size(has)}",
            remedy="what was killed in this pod has left files there, which stay as long as the pod: delete the pod",
        )
