"""Mode `statefulset`: one pod a node, pod 0 is the Ray head, no operator needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import IntegerLike, StringLike

POD_INDEX_LABEL = "apps.kubernetes.io/pod-index"


@dataclass(frozen=True, kw_only=True)
class TrainingStatefulSetProps:
    """Properties of a TrainingStatefulSet.

    Attributes:
        name: of the StatefulSet; pods are NAME-0, NAME-1, ...
        labels: of the StatefulSet.
        selector: labels that select its pods; they cannot change later.
        service: name of the headless Service.
        replicas: number of nodes.
        pod: made by `training_pod`.
    """

    name: StringLike
    labels: Mapping[str, Any]
    selector: Mapping[str, Any]
    service: StringLike
    replicas: IntegerLike
    pod: k8s.PodTemplateSpec


class TrainingStatefulSet(Construct):
    """A gang of pods that start together, and are replaced one after the other, the head last."""

    def __init__(self, scope: Construct, construct_id: str, props: TrainingStatefulSetProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeStatefulSet(
            self,
            "StatefulSet",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=k8s.StatefulSetSpec(
                service_name=helm.string(props.service),
                replicas=helm.number(props.replicas),
                selector=k8s.LabelSelector(match_labels=dict(props.selector)),
                # No pod waits for another one to start: the head is ready only when all have joined.
                pod_management_policy="Parallel",
                template=props.pod,
            ),
        )
