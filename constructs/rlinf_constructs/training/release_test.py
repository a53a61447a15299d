"""The pod of `helm test`: the bootstrap's role `verify` on the release as it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike
from rlinf_constructs.training.pod import TrainingPodProps, helper_pod_spec

_RESOURCES = {"cpu": "100m", "memory": "256Mi"}


@dataclass(frozen=True, kw_only=True)
class ReleaseTestProps:
    """Properties of a ReleaseTest.

    Attributes:
        name: of the pod.
        labels: of the pod; the nodes' Service must not select it.
        pod: of the nodes, from which image, volumes and environment are taken.
        affinity: affinity rules by kind; those of the nodes, which may keep them apart, would keep this pod away.
    """

    name: StringLike
    labels: Mapping[str, Any]
    pod: TrainingPodProps
    affinity: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ReleaseTest(Construct):
    """Passes when the cluster has formed or the run has finished, and the run folder can be written."""

    def __init__(self, scope: Construct, construct_id: str, props: ReleaseTestProps) -> None:
        super().__init__(scope, construct_id)
        pod = replace(
            props.pod,
            rank=None,
            requests=_RESOURCES,
            limits={"memory": _RESOURCES["memory"]},
            scheduling=replace(props.pod.scheduling, affinity=props.affinity, topology_spread_constraints=()),
        )
        k8s.KubePod(
            self,
            "Pod",
            metadata=k8s.ObjectMeta(
                name=helm.string(props.name),
                labels=dict(props.labels),
                # Helm does not delete hooks with their release: a failed pod stays, for its log.
                annotations={
                    "helm.sh/hook": "test",
                    "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
                },
            ),
            spec=helper_pod_spec(pod, role="verify"),
        )
