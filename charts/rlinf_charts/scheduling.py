"""Which nodes the pods get: the user's rules, and those that follow from the instance type."""

from __future__ import annotations

from typing import Any

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_charts.profiles import column
from rlinf_charts.resources import GPUS
from rlinf_constructs import helm
from rlinf_constructs.helm import Helper, Kind, call
from rlinf_constructs.platform.devices import GPU
from rlinf_constructs.platform.scheduling import Scheduling, apart, nearby

_INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
_scheduling = values.scheduling
_TYPE = values.instance.type

_takes_whole_nodes = GPUS.equals(column(_TYPE, "gpus", -1, kind=Kind.INTEGER))

KEEPS_APART = Helper(
    name="rlinf.keepsApart",
    body=~call("hasKey", _scheduling.affinity, "podAntiAffinity")
    & (
        _scheduling.one_pod_per_node.equals("always")
        | (_scheduling.one_pod_per_node.equals("auto") & _takes_whole_nodes)
    ),
    about="Whether the pods of a run get different nodes.",
)

PREFERS_NEARBY_NODES = Helper(
    name="rlinf.prefersNearbyNodes",
    body=~call("hasKey", _scheduling.affinity, "podAffinity")
    & _scheduling.prefer_nearby_nodes
    & (values.nodes.count > 1),
    about="Whether the pods of a run prefer nodes that are close to each other.",
)

HELPERS = [KEEPS_APART, PREFERS_NEARBY_NODES]


def scheduling() -> Scheduling:
    """Where the training pods may run."""
    return Scheduling(
        node_selector=_node_selector(),
        tolerations=_tolerations(),
        affinity=_affinity(),
        topology_spread_constraints=_scheduling.topology_spread_constraints,
        priority_class_name=_scheduling.priority_class_name,
        scheduler_name=_scheduling.scheduler_name,
    )


def _node_selector() -> dict[str, Any]:
    is_ours = _TYPE & ~call("hasKey", _scheduling.node_selector, _INSTANCE_TYPE_LABEL)
    return {
        _INSTANCE_TYPE_LABEL: helm.when(is_ours, helm.string(_TYPE)),
        **helm.splice(_scheduling.node_selector),
    }


def _tolerations() -> list[Any]:
    gpu = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
    return [helm.when(GPUS > 0, gpu), helm.string(_scheduling.tolerations)]


def _affinity() -> dict[str, Any]:
    """Ours by kind of affinity, unless the user gives that kind."""
    selector = helm.splice(names.SELECTOR_LABELS)
    return {
        "podAntiAffinity": helm.when(KEEPS_APART, apart(selector)),
        "podAffinity": helm.when(PREFERS_NEARBY_NODES, nearby(selector)),
        **helm.splice(_scheduling.affinity),
    }
