"""Services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike


@dataclass(frozen=True, kw_only=True)
class HeadlessServiceProps:
    """Properties of a headless Service.

    Attributes:
        name: of the Service; pods are `POD.NAME`.
        labels: of the Service.
        selector: labels of the pods.
    """

    name: StringLike
    labels: Mapping[str, Any]
    selector: Mapping[str, Any]


class HeadlessService(Construct):
    """Gives each pod a name. Ray uses many ports between pods, so the Service lists none."""

    def __init__(self, scope: Construct, construct_id: str, props: HeadlessServiceProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeService(
            self,
            "Service",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=k8s.ServiceSpec(
                cluster_ip="None",
                # Pods find each other before any of them is ready: forming the cluster is what makes them ready.
                publish_not_ready_addresses=True,
                selector=dict(props.selector),
            ),
        )
