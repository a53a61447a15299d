"""What may be done to pods for the sake of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import IntegerLike, StringLike


@dataclass(frozen=True, kw_only=True)
class GangDisruptionBudgetProps:
    """Properties of a GangDisruptionBudget.

    Attributes:
        name: of the PodDisruptionBudget.
        labels: of the PodDisruptionBudget.
        selector: labels of the gang's pods.
        pods: how many they are.
    """

    name: StringLike
    labels: Mapping[str, Any]
    selector: Mapping[str, Any]
    pods: IntegerLike


class GangDisruptionBudget(Construct):
    """Lets nobody evict a healthy pod of a gang, which cannot go on without it.

    A number of available pods, and no `maxUnavailable` or share: those need a controller with a scale subresource,
    which neither a Job nor a RayCluster has.
    See https://kubernetes.io/docs/tasks/run-application/configure-pdb/#arbitrary-controllers-and-selectors.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GangDisruptionBudgetProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubePodDisruptionBudget(
            self,
            "Budget",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=k8s.PodDisruptionBudgetSpec(
                min_available=k8s.IntOrString.from_number(helm.number(props.pods)),
                selector=k8s.LabelSelector(match_labels=dict(props.selector)),
                # A pod that is broken, or has yet to start, does not keep its node from being drained.
                unhealthy_pod_eviction_policy="AlwaysAllow",
            ),
        )
