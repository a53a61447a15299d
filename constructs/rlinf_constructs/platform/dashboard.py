"""Ray's dashboard as a Service and, for those outside of the cluster, an Ingress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, IntegerLike, StringLike

_PORT = "dashboard"


@dataclass(frozen=True, kw_only=True)
class DashboardServiceProps:
    """Properties of a DashboardService.

    Attributes:
        name: of the Service.
        labels: of the Service.
        selector: labels of the head's pod.
        port: of the dashboard.
    """

    name: StringLike
    labels: Mapping[str, Any]
    selector: Mapping[str, Any]
    port: IntegerLike


class DashboardService(Construct):
    """An address of the head's dashboard, inside the cluster only."""

    def __init__(self, scope: Construct, construct_id: str, props: DashboardServiceProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeService(
            self,
            "Service",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=k8s.ServiceSpec(
                type="ClusterIP",
                selector=dict(props.selector),
                ports=[
                    k8s.ServicePort(
                        name=_PORT,
                        port=helm.number(props.port),
                        target_port=k8s.IntOrString.from_string(_PORT),
                        app_protocol="http",
                    )
                ],
            ),
        )


@dataclass(frozen=True, kw_only=True)
class DashboardIngressProps:
    """Properties of a DashboardIngress.

    Attributes:
        name: of the Ingress.
        labels: of the Ingress.
        annotations: for the controller.
        service: name of the DashboardService.
        class_name: of the controller; empty for the cluster's default.
        host: by which the dashboard is reached.
        tls_secret: Secret with the host's certificate; empty where the controller has one.
    """

    name: StringLike
    labels: Mapping[str, Any]
    annotations: Mapping[str, Any]
    service: StringLike
    class_name: StringLike = ""
    host: StringLike
    tls_secret: StringLike = ""


class DashboardIngress(Construct):
    """Lets people outside of the cluster reach the dashboard: whoever has Ray's token runs code through it."""

    def __init__(self, scope: Construct, construct_id: str, props: DashboardIngressProps) -> None:
        super().__init__(scope, construct_id)
        backend = k8s.IngressBackend(
            service=k8s.IngressServiceBackend(name=helm.string(props.service), port=k8s.ServiceBackendPort(name=_PORT))
        )
        host = helm.string(props.host)
        tls = k8s.IngressTls(hosts=[host], secret_name=helm.string(props.tls_secret))
        k8s.KubeIngress(
            self,
            "Ingress",
            metadata=k8s.ObjectMeta(
                name=helm.string(props.name), labels=dict(props.labels), annotations=dict(props.annotations)
            ),
            spec=k8s.IngressSpec(
                ingress_class_name=helm.unless_empty(props.class_name),
                tls=_tls(props.tls_secret, tls),
                rules=[
                    k8s.IngressRule(
                        host=host,
                        http=k8s.HttpIngressRuleValue(
                            paths=[k8s.HttpIngressPath(path="/", path_type="Prefix", backend=backend)]
                        ),
                    )
                ],
            ),
        )


def _tls(secret: StringLike, tls: k8s.IngressTls) -> Sequence[k8s.IngressTls] | None:
    if isinstance(secret, Expression):
        return helm.when(secret, [tls])
    return [tls] if secret else None
