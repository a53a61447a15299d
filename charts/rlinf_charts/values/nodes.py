"""`nodes`: the machines that a run takes, one pod on each."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import OPTIONAL_QUANTITY, Quantities, Section


class Resources(Section):
    """Requests and limits of one pod, as Kubernetes writes them."""

    requests: Quantities = Field(
        default_factory=dict[str, str | float],
        description="Requests by resource name. cpu and memory follow from the limits where they are not given, else "
        "from the instance type; without a type they are 1 and 4Gi.",
    )
    limits: Quantities = Field(
        default_factory=dict[str, str | float],
        description="Limits by resource name. With an instance type, memory is limited to its request where it is not "
        "given. GPUs, EFA devices and huge pages have values of their own.",
    )


class Nodes(Section):
    """Count and size of the nodes."""

    count: int = Field(default=1, description="Number of nodes, one pod on each; pod 0 is the Ray head.", ge=1, le=1000)
    gpus: int = Field(
        default=0,
        description="GPUs of one node (nvidia.com/gpu). 0: all of the instance type; without a type, training on CPU "
        "with one rank a node.\nWith fewer than the type has, a pod still asks for CPU, memory and EFA devices of a "
        "whole node: set nodes.resources and efa.devices as well where pods share one.",
        ge=0,
        le=16,
    )
    resources: Resources = Field(default_factory=Resources, description="What one pod asks of its node.")
    shared_memory: str = Field(
        default="",
        description="Size of /dev/shm, for Ray's object store (30% of the memory limit) and NCCL; the usual 64 MiB "
        "break both. What is used of it counts against the memory limit.\n"
        "Empty: a third of the instance type's memory, at most 200Gi; 2Gi without a type.",
        pattern=OPTIONAL_QUANTITY,
    )
