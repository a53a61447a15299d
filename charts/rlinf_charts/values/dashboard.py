"""`dashboard`: how people reach Ray's dashboard."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Annotations, OptionalDnsName, OptionalHostName, Section


class DashboardIngress(Section):
    """An Ingress for the dashboard."""

    enabled: bool = Field(
        default=False,
        description="Make an Ingress. Whoever reaches the dashboard and has Ray's token runs code on the nodes: keep "
        "the host inside your network, and let networkPolicy.dashboardFrom name the controller's namespace. "
        "Without it: `kubectl port-forward`.",
    )
    class_name: OptionalDnsName = Field(default="", description="IngressClass. Empty: the cluster's default.")
    host: OptionalHostName = Field(default="", description="Host name, such as ray.team.internal.")
    tls_secret: OptionalDnsName = Field(
        default="",
        description="Secret with the host's certificate. Empty: the controller has one, as load balancers on AWS do; "
        "without any, the token travels in plain text.",
    )
    annotations: Annotations = Field(
        default_factory=dict[str, str],
        description="Annotations for the controller: {alb.ingress.kubernetes.io/scheme: internal}.",
    )


class Dashboard(Section):
    """How people reach Ray's dashboard."""

    ingress: DashboardIngress = Field(default_factory=DashboardIngress, description="An Ingress for the dashboard.")
