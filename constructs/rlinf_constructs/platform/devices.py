"""Extended resources of accelerated nodes."""

from __future__ import annotations

from typing import Any

from rlinf_constructs import helm
from rlinf_constructs.helm import IntegerLike, StringLike

GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"
HUGEPAGES = "hugepages-2Mi"


def device_limits(*, gpus: IntegerLike, efa_devices: IntegerLike, hugepages: StringLike = "") -> dict[str, Any]:
    """Limits for GPUs, EFA devices and huge pages; zero or empty asks for none.

    Kubernetes takes the requests from the limits.
    """
    limits: dict[str, Any] = {}
    for resource, count in ((GPU, gpus), (EFA, efa_devices)):
        if isinstance(count, helm.Expression):
            limits[resource] = helm.when(count > 0, helm.number(count))
        elif count > 0:
            limits[resource] = count
    if isinstance(hugepages, helm.Expression):
        limits[HUGEPAGES] = helm.when(hugepages, helm.string(hugepages))
    elif hugepages:
        limits[HUGEPAGES] = hugepages
    return limits
