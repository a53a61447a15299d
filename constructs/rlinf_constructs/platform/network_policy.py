"""Who may reach pods, and what they may reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, Expression, IntegerLike, StringLike


@dataclass(frozen=True, kw_only=True)
class NetworkPolicyProps:
    """Properties of a NetworkPolicy.

    Attributes:
        name: of the policy.
        labels: of the policy.
        selector: labels of the pods.
        ingress: all that may reach the pods.
        egress: all that the pods may reach.
        restrict_egress: whether `egress` counts; otherwise the pods reach everything.
    """

    name: StringLike
    labels: Mapping[str, Any]
    selector: Mapping[str, Any]
    ingress: Sequence[k8s.NetworkPolicyIngressRule]
    egress: Sequence[k8s.NetworkPolicyEgressRule] = ()
    restrict_egress: BooleanLike = False


class NetworkPolicy(Construct):
    """Closes pods to all but those that are named.

    It holds for IP traffic, where the cluster's network enforces policies: EFA's own protocol passes by it, and volumes
    that the node mounts (FSx, EFS, Mountpoint for S3) are the node's traffic.
    """

    def __init__(self, scope: Construct, construct_id: str, props: NetworkPolicyProps) -> None:
        super().__init__(scope, construct_id)
        types, egress = ["Ingress"], list(props.egress)
        if isinstance(props.restrict_egress, Expression):
            types.append(helm.when(props.restrict_egress, "Egress"))
            egress = helm.when(props.restrict_egress, egress)
        elif props.restrict_egress:
            types.append("Egress")
        else:
            egress = []
        k8s.KubeNetworkPolicy(
            self,
            "Policy",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=k8s.NetworkPolicySpec(
                pod_selector=k8s.LabelSelector(match_labels=dict(props.selector)),
                policy_types=types,
                ingress=list(props.ingress),
                egress=egress or None,
            ),
        )


def tcp(port: IntegerLike) -> k8s.NetworkPolicyPort:
    """A port of TCP."""
    return _port("TCP", port)


def dns() -> k8s.NetworkPolicyEgressRule:
    """Name servers, wherever they are: a cache on the node has no pod's address."""
    return k8s.NetworkPolicyEgressRule(ports=[_port("UDP", 53), _port("TCP", 53)])


def pod_identity_agent() -> k8s.NetworkPolicyEgressRule:
    """The agent on each EKS node that gives pods the credentials of their IAM role."""
    addresses = [k8s.IpBlock(cidr="169.254.170.23/32"), k8s.IpBlock(cidr="fd00:ec2::23/128")]
    return k8s.NetworkPolicyEgressRule(
        to=[k8s.NetworkPolicyPeer(ip_block=address) for address in addresses], ports=[tcp(80)]
    )


def pods(selector: Mapping[str, Any]) -> k8s.NetworkPolicyPeer:
    """Pods of the same namespace with these labels."""
    return k8s.NetworkPolicyPeer(pod_selector=k8s.LabelSelector(match_labels=dict(selector)))


def _port(protocol: str, port: IntegerLike) -> k8s.NetworkPolicyPort:
    return k8s.NetworkPolicyPort(protocol=protocol, port=k8s.IntOrString.from_number(helm.number(port)))
