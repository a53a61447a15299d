"""`kuberay`: the Ray cluster that KubeRay's operator makes, in the modes raycluster and rayjob."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.ray_start import RayStartParams
from rlinf_charts.values.section import QUANTITY, Labels, Section

_PARAMETERS = (
    "More options of `ray start`, of those that Ray 2.60 knows, without the dashes, as quoted strings:\n"
    '{object-store-memory: "10000000000"}.'
)


class Head(Section):
    """The pod of the head group."""

    separate: bool = Field(
        default=False,
        description="false: the head is one of the nodes and takes ranks. true: it only directs nodes.count workers, "
        "and has no GPUs and EFA devices, but the CPU, memory and node selector below.",
    )
    cpu: str = Field(default="1", description="CPU request of a separate head.", pattern=QUANTITY)
    memory: str = Field(
        default="4Gi",
        description="Memory request and limit of a separate head; Ray's dashboard and the driver want 2Gi and more.",
        pattern=QUANTITY,
    )
    node_selector: Labels = Field(
        default_factory=dict[str, str],
        description="Labels that the node of a separate head must have, in place of scheduling.nodeSelector.",
    )
    ray_start_params: RayStartParams = Field(default_factory=dict[str, str], description=_PARAMETERS)


class Workers(Section):
    """The pods of the worker group."""

    ray_start_params: RayStartParams = Field(default_factory=dict[str, str], description=_PARAMETERS)


class Autoscaler(Section):
    """Ray's autoscaler, for a cluster that several runs share."""

    enabled: bool = Field(
        default=False,
        description="Mode raycluster: add workers when a run wants them, up to nodes.count nodes with the head, and "
        "remove idle ones. Set it also on releases in mode rayjob whose rayJob.clusterSelector names such a cluster.",
    )
    min_workers: int = Field(default=0, description="Workers that stay without work.", ge=0)
    idle_seconds: int = Field(
        default=300, description="After this time without work a worker goes, and its machine is free.", ge=10
    )
    cpu: str = Field(default="500m", description="CPU request of its container, beside the head.", pattern=QUANTITY)
    memory: str = Field(default="512Mi", description="Memory request and limit of its container.", pattern=QUANTITY)


class KubeRay(Section):
    """The operator, and the groups of its cluster."""

    version: Literal["1.5", "1.7"] = Field(
        default="1.7",
        description="Version of the operator. 1.5 neither knows Ray's token nor replaces pods on an upgrade; the "
        "notes that Helm prints say what follows.",
    )
    ray_version: str = Field(
        default="2.60.0",
        description="Ray's version in the image, which the operator asks for; 2.52.0 or newer.",
        pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$",
    )
    suspend: bool = Field(
        default=False, description="Make the RayCluster or RayJob without pods, as queues do, or stop its pods."
    )
    head: Head = Field(default_factory=Head, description="The head group.")
    workers: Workers = Field(default_factory=Workers, description="The worker group.")
    autoscaler: Autoscaler = Field(default_factory=Autoscaler, description="Workers on demand.")
