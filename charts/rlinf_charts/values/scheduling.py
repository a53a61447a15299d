"""`scheduling`: which nodes the pods get, and when."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rlinf_charts.values.kubernetes import Affinity, Toleration, TopologySpread
from rlinf_charts.values.section import SUBDOMAIN, Labels, OptionalDnsName, Section


class Scheduling(Section):
    """Which nodes the pods get, and when."""

    node_selector: Labels = Field(
        default_factory=dict[str, str],
        description="Labels that a node must have, besides that of the instance type.",
    )
    tolerations: list[Toleration] = Field(
        default_factory=list[Toleration],
        description="Taints that the pods tolerate, as in a pod's spec, besides nvidia.com/gpu where there are GPUs.",
    )
    affinity: Affinity = Field(
        default_factory=dict[str, Any],
        description="Affinity rules, as in a pod's spec. podAntiAffinity and podAffinity of your own replace the "
        "ones of onePodPerNode, oneZone and preferNearbyNodes.",
    )
    one_pod_per_node: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Keep the pods of a run on different nodes. auto: where each takes all GPUs of its instance type.",
    )
    one_zone: Literal["auto", "always", "never"] = Field(
        default="auto",
        description="Keep the pods of a run in one availability zone. auto: where EFA connects them, which does not "
        "reach beyond it.",
    )
    prefer_nearby_nodes: bool = Field(
        default=False,
        description="Prefer nodes that few network switches part, by the labels that EKS gives them "
        "(topology.k8s.aws/network-node-layer-1 to -3).",
    )
    topology_spread_constraints: list[TopologySpread] = Field(
        default_factory=list[TopologySpread], description="Topology spread constraints, as in a pod's spec."
    )
    priority_class_name: OptionalDnsName = Field(
        default="", description="PriorityClass of the pods. Empty: the cluster's default."
    )
    scheduler_name: OptionalDnsName = Field(
        default="", description="Scheduler of the pods. Empty: the cluster's default."
    )
    runtime_class_name: OptionalDnsName = Field(
        default="",
        description="RuntimeClass of the pods, such as nvidia where a node's own runtime gives containers no GPUs; a "
        "separate head has none. Empty: the node's own, which is enough on the AMIs of EKS.",
    )
    kueue_queue: str = Field(
        default="",
        description="LocalQueue of Kueue that admits the run as a whole. Empty: Kueue has nothing to do with it.",
        pattern=rf"^({SUBDOMAIN})?$",
        # It is the value of a label.
        max_length=63,
    )
    volcano_queue: OptionalDnsName = Field(
        default="",
        description="Queue of Volcano, which then places all pods of the run at once or none. Empty: no Volcano.",
    )
