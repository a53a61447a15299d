"""Which nodes the pods get: the user's rules, and those that follow from the instance type."""

from __future__ import annotations

from typing import Any

import cdk8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_charts.profiles import column
from rlinf_charts.resources import EFA_DEVICES, GPUS
from rlinf_charts.run import PODS
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Helper, Kind, Rule, call, conditional, fmt
from rlinf_constructs.platform.devices import GPU
from rlinf_constructs.platform.gang import GROUP_ANNOTATION, VOLCANO, PodGroup, PodGroupProps
from rlinf_constructs.platform.scheduling import Scheduling, apart, in_one_zone, nearby

_INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
_KUEUE_LABEL = "kueue.x-k8s.io/queue-name"
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

KEEPS_IN_ONE_ZONE = Helper(
    name="rlinf.keepsInOneZone",
    body=~call("hasKey", _scheduling.affinity, "podAffinity")
    & (values.nodes.count > 1)
    & (_scheduling.one_zone.equals("always") | (_scheduling.one_zone.equals("auto") & (EFA_DEVICES > 0))),
    about="Whether the pods of a run get one availability zone, beyond which EFA does not reach.",
)

PREFERS_NEARBY_NODES = Helper(
    name="rlinf.prefersNearbyNodes",
    body=~call("hasKey", _scheduling.affinity, "podAffinity")
    & _scheduling.prefer_nearby_nodes
    & (values.nodes.count > 1),
    about="Whether the pods of a run prefer nodes that are close to each other.",
)


SCHEDULER = Helper(
    name="rlinf.schedulerName",
    body=call("default", conditional(_scheduling.volcano_queue.differs(""), VOLCANO, ""), _scheduling.scheduler_name),
    about="Scheduler of the pods; empty for the cluster's default.",
)


def _names_the_type(label: str) -> Rule:
    """The label of the instance type has one value, wherever it is set."""
    named = call("dig", label, _TYPE, _scheduling.node_selector, kind=Kind.STRING)
    return Rule(
        broken=_TYPE & named.differs(_TYPE),
        message=fmt(
            f"scheduling.nodeSelector has {label} ",
            named,
            " while instance.type is ",
            _TYPE,
            ", whose GPUs, EFA devices and memory the pods ask for: remove the label, and set instance.type to the "
            "type that is meant, or to nothing for one that the chart does not know",
        ),
    )


A_QUEUE_OF_ONE_KIND = Rule(
    broken=_scheduling.kueue_queue & _scheduling.volcano_queue,
    message=fmt(
        "scheduling.kueueQueue is ",
        _scheduling.kueue_queue,
        " and scheduling.volcanoQueue is ",
        _scheduling.volcano_queue,
        ": a run waits in one queue only; keep one of them",
    ),
)


def _no_queue_on_existing(key: str, queue: Expression) -> Rule:
    """A job on a cluster that is there takes no pods, so it has nothing to wait for."""
    return Rule(
        broken=names.ON_EXISTING_CLUSTER & queue,
        message=fmt(
            f"{key} is ",
            queue,
            " while rayJob.clusterSelector is ",
            values.ray_job.cluster_selector,
            ": that cluster's pods are there already, and its own release waits in a queue for them; set "
            f"{key}=, or rayJob.clusterSelector=",
        ),
    )


KUEUE_WANTS_THE_CLUSTER_DELETED = Rule(
    broken=values.mode.equals("rayjob")
    & ~names.ON_EXISTING_CLUSTER
    & _scheduling.kueue_queue
    & ~values.ray_job.shutdown_after_job_finishes,
    message=fmt(
        "rayJob.shutdownAfterJobFinishes is false while scheduling.kueueQueue is ",
        _scheduling.kueue_queue,
        ": a cluster that stays would keep what the queue gave to the job, so Kueue refuses it; set "
        "rayJob.shutdownAfterJobFinishes=true, or scheduling.kueueQueue=",
    ),
)


RULES = [
    _names_the_type(_INSTANCE_TYPE_LABEL),
    _names_the_type("beta.kubernetes.io/instance-type"),
    A_QUEUE_OF_ONE_KIND,
    _no_queue_on_existing("scheduling.kueueQueue", _scheduling.kueue_queue),
    _no_queue_on_existing("scheduling.volcanoQueue", _scheduling.volcano_queue),
    KUEUE_WANTS_THE_CLUSTER_DELETED,
]
HELPERS = [KEEPS_APART, KEEPS_IN_ONE_ZONE, PREFERS_NEARBY_NODES, SCHEDULER]


def workload_labels() -> dict[str, Any]:
    """Labels of the object that runs the pods: a queue of Kueue holds it back until there is room for all."""
    queue = _scheduling.kueue_queue
    return {
        _KUEUE_LABEL: helm.when(queue & ~call("hasKey", values.common_labels, _KUEUE_LABEL), helm.string(queue)),
        **helm.splice(names.LABELS),
    }


def pod_annotations() -> dict[str, Any]:
    """Annotations by which Volcano knows the gang of a pod."""
    is_ours = _scheduling.volcano_queue & ~call("hasKey", values.pod_annotations, GROUP_ANNOTATION)
    return {GROUP_ANNOTATION: helm.when(is_ours, helm.string(names.FULLNAME))}


def add_gang(objects: cdk8s.Chart) -> None:
    """Volcano's group of all pods of the run."""
    gang = PodGroup(
        objects,
        "Gang",
        PodGroupProps(
            name=names.FULLNAME,
            labels=helm.splice(names.LABELS),
            queue=_scheduling.volcano_queue,
            pods=PODS,
            priority_class=_scheduling.priority_class_name,
        ),
    )
    helm.when(_scheduling.volcano_queue, gang)


def scheduling() -> Scheduling:
    """Where the training pods may run."""
    return Scheduling(
        node_selector=_node_selector(),
        tolerations=_tolerations(),
        affinity=_affinity(),
        topology_spread_constraints=_scheduling.topology_spread_constraints,
        priority_class_name=_scheduling.priority_class_name,
        scheduler_name=SCHEDULER,
        runtime_class_name=_scheduling.runtime_class_name,
    )


def _node_selector() -> dict[str, Any]:
    is_ours = _TYPE & ~call("hasKey", _scheduling.node_selector, _INSTANCE_TYPE_LABEL)
    selector = {
        _INSTANCE_TYPE_LABEL: helm.when(is_ours, helm.string(_TYPE)),
        **helm.splice(_scheduling.node_selector),
    }
    return helm.shared("nodeSelector", selector, about="Labels of the nodes that the pods get.")


def _tolerations() -> list[Any]:
    gpu = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
    tolerations = [helm.when(GPUS > 0, gpu), helm.string(_scheduling.tolerations)]
    return helm.shared("tolerations", tolerations, about="Taints that the pods do not mind.")


def _affinity() -> dict[str, Any]:
    """Ours by kind of affinity, unless the user gives that kind."""
    selector = helm.splice(names.SELECTOR_LABELS)
    affinity = {
        "podAntiAffinity": helm.when(KEEPS_APART, apart(selector)),
        "podAffinity": {
            kind: helm.when(condition, terms)
            for condition, affinity in (
                (KEEPS_IN_ONE_ZONE, in_one_zone(_ranks())),
                (PREFERS_NEARBY_NODES, nearby(_ranks())),
            )
            for kind, terms in affinity.items()
        },
        **helm.splice(_scheduling.affinity),
    }
    return helm.shared(
        "affinity", affinity, about="Which nodes and neighbours the pods look for, and which they avoid."
    )


def _ranks() -> dict[str, Any]:
    """Labels of the pods that take ranks; a head that only directs them may be anywhere."""
    return {"ray.io/group": helm.when(names.HAS_SEPARATE_HEAD, "workers"), **helm.splice(names.SELECTOR_LABELS)}
