"""Extended resources of accelerated nodes."""

from __future__ import annotations

from typing import Any

from rlinf_constructs import helm
from rlinf_constructs.helm import IntegerLike

GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"


def device_limits(*, gpus: IntegerLike, efa_devices: IntegerLike) -> dict[str, Any]:
    """Limits for GPUs and EFA devices; zero asks for none. Kubernetes takes the requests from the limits."""
    limits: dict[str, Any] = {}
    for resource, count in ((GPU, gpus), (EFA, efa_devices)):
        if isinstance(count, helm.Expression):
            limits[resource] = helm.when(count > 0, helm.number(count))
        elif count > 0:
            limits[resource] = count
    return limits
