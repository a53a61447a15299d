"""Which nodes a pod may get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, StringLike

_HOSTNAME_LABEL = "kubernetes.io/hostname"
_ZONE_LABEL = "topology.kubernetes.io/zone"
# EKS labels each node with the switches above it, from the spine to the one that is nearest.
_NETWORK_LABELS = {
    f"topology.k8s.aws/network-node-layer-{layer}": weight for layer, weight in ((3, 100), (2, 50), (1, 10))
}


@dataclass(frozen=True, kw_only=True)
class Scheduling:
    """Where a pod may run; everything that is empty leaves it to Kubernetes.

    Attributes:
        node_selector: node labels.
        tolerations: a list of tolerations, or a list expression.
        affinity: affinity rules by kind.
        topology_spread_constraints: a list of constraints, or a list expression.
        priority_class_name: of the pod.
        scheduler_name: of the pod.
        runtime_class_name: of the pod.
    """

    node_selector: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tolerations: Sequence[Any] | Expression = ()
    affinity: Mapping[str, Any] = field(default_factory=dict[str, Any])
    topology_spread_constraints: Sequence[Any] | Expression = ()
    priority_class_name: StringLike = ""
    scheduler_name: StringLike = ""
    runtime_class_name: StringLike = ""


def scheduled(pod: k8s.PodSpec, scheduling: Scheduling) -> k8s.PodSpec:
    """The pod with its scheduling; most of it is free-form, and a typed struct could not carry expressions there."""
    fields = {
        "nodeSelector": dict(scheduling.node_selector),
        "tolerations": _items(scheduling.tolerations),
        "affinity": dict(scheduling.affinity),
        "topologySpreadConstraints": _items(scheduling.topology_spread_constraints),
        "priorityClassName": helm.unless_empty(scheduling.priority_class_name),
        "schedulerName": helm.unless_empty(scheduling.scheduler_name),
        "runtimeClassName": helm.unless_empty(scheduling.runtime_class_name),
    }
    return helm.extend(pod, **{name: value for name, value in fields.items() if value is not None and value != {}})


def _items(items: Sequence[Any] | Expression) -> Any:
    return items if isinstance(items, Expression) else list(items) or None


def apart(selector: Mapping[str, Any]) -> dict[str, Any]:
    """A podAntiAffinity that keeps pods with these labels on different nodes."""
    return {"requiredDuringSchedulingIgnoredDuringExecution": [_term(selector, _HOSTNAME_LABEL)]}


def in_one_zone(selector: Mapping[str, Any]) -> dict[str, Any]:
    """A podAffinity that keeps pods with these labels in one availability zone, which the first of them chooses."""
    return {"requiredDuringSchedulingIgnoredDuringExecution": [_term(selector, _ZONE_LABEL)]}


def beside(selector: Mapping[str, Any]) -> dict[str, Any]:
    """A podAffinity that puts a pod on a node where one with these labels runs.

    A pod that has these labels itself may go anywhere while no other runs.
    """
    return {"requiredDuringSchedulingIgnoredDuringExecution": [_term(selector, _HOSTNAME_LABEL)]}


def nearby(selector: Mapping[str, Any]) -> dict[str, Any]:
    """A podAffinity that prefers nodes which share network switches with pods that have these labels."""
    terms = [{"weight": weight, "podAffinityTerm": _term(selector, key)} for key, weight in _NETWORK_LABELS.items()]
    return {"preferredDuringSchedulingIgnoredDuringExecution": terms}


def _term(selector: Mapping[str, Any], topology_key: str) -> dict[str, Any]:
    return {"topologyKey": topology_key, "labelSelector": {"matchLabels": dict(selector)}}
