"""`networkPolicy`: who may reach the pods, and what they may reach."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.kubernetes import Peer, PolicyPort
from rlinf_charts.values.section import Labels, Section


class Source(Section):
    """Who may reach the pods."""

    from_peers: list[Peer] = Field(
        default_factory=list[Peer], alias="from", description="Peers, as in a NetworkPolicy. Empty: everybody."
    )
    ports: list[PolicyPort] = Field(
        default_factory=list[PolicyPort], description="Ports, as in a NetworkPolicy. Empty: all."
    )


class Destination(Section):
    """What the pods may reach."""

    to: list[Peer] = Field(default_factory=list[Peer], description="Peers, as in a NetworkPolicy. Empty: every host.")
    ports: list[PolicyPort] = Field(
        default_factory=list[PolicyPort], description="Ports, as in a NetworkPolicy. Empty: all."
    )


class Egress(Section):
    """What the pods may reach, where that is restricted."""

    restricted: bool = Field(
        default=False,
        description="Let the pods reach each other, DNS, the agent of EKS Pod Identity, the ports of "
        "tracking.mlflow.trackingUri and tracking.wandb.baseUrl, and what follows here, and nothing else. Off by "
        "default, since a destination that is missing shows as a timeout in the engine only.",
    )
    https: bool = Field(
        default=True,
        description="Port 443 of every host: Hugging Face, S3, Weights & Biases, AWS's token service.",
    )
    to: list[Destination] = Field(
        default_factory=list[Destination],
        description="More destinations: [{to: [{ipBlock: {cidr: 10.0.0.0/16}}], ports: [{port: 5000}]}].",
    )


class NetworkPolicy(Section):
    """Who may reach the pods, and what they may reach."""

    enabled: bool = Field(
        default=True,
        description="Close all ports of the pods but to each other, and to KubeRay's operator where there is one: "
        "whoever reaches Ray's ports and has its token runs code there. A cluster whose network enforces no policies "
        "ignores it. It does not hold for EFA's traffic, which security groups rule, nor for volumes that the node "
        "mounts; `kubectl port-forward` passes it.",
    )
    dashboard_from: list[Peer] = Field(
        default_factory=list[Peer],
        description="Who else may reach Ray's dashboard, as peers of a NetworkPolicy:\n"
        "[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress-nginx}}}].",
    )
    operator_namespace: Labels = Field(
        default_factory=dict[str, str],
        description="Labels of the namespace of KubeRay's operator, whose pods are labelled\n"
        "app.kubernetes.io/name=kuberay-operator. Empty: any namespace.",
    )
    ingress: list[Source] = Field(
        default_factory=list[Source],
        description="Who else may reach the pods, for example the port of a sidecar:\n"
        "[{from: [{podSelector: {matchLabels: {app: scraper}}}], ports: [{port: 9000}]}].",
    )
    egress: Egress = Field(default_factory=Egress, description="What the pods may reach, where that is restricted.")
