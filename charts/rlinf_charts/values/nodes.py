"""`nodes`: the machines that a run takes, one pod on each."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from rlinf_charts.values.section import QUANTITY, LabelValue, Quantity, Section


class Resources(Section):
    """Requests and limits of one pod, as Kubernetes writes them."""

    requests: dict[str, Quantity] = Field(
        default_factory=lambda: {"cpu": "1", "memory": "4Gi"},
        description="Requests by resource name: cpu, memory, hugepages-2Mi, ...",
    )
    limits: dict[str, Quantity] = Field(
        default_factory=dict[str, Quantity],
        description="Limits by resource name. GPUs and EFA devices are added from nodes.gpus and efa.devices.",
    )


class Nodes(Section):
    """Count, size and place of the nodes."""

    count: int = Field(default=1, description="Number of nodes, one pod on each; pod 0 is the Ray head.", ge=1, le=1000)
    gpus: int = Field(
        default=0,
        description="GPUs of one node (nvidia.com/gpu). 0: training on CPU with one rank a node.",
        ge=0,
        le=16,
    )
    resources: Resources = Field(default_factory=Resources, description="What one pod asks of its node.")
    shared_memory: str = Field(
        default="2Gi",
        description="Size of /dev/shm, for Ray's object store (30% of the memory limit) and NCCL; the usual 64 MiB\n"
        "break both. What is used of it counts against the memory limit.",
        pattern=QUANTITY,
    )
    node_selector: dict[str, LabelValue] = Field(
        default_factory=dict[str, LabelValue], description="Labels that a node must have."
    )
    tolerations: list[dict[str, Any]] = Field(
        default_factory=list[dict[str, Any]], description="Taints that the pods tolerate, as in a pod's spec."
    )
    affinity: dict[str, Any] = Field(default_factory=dict[str, Any], description="Affinity rules, as in a pod's spec.")
