"""`ray`: the Ray cluster that the pods form."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import OptionalDnsName, Section


class RayAuth(Section):
    """Token authentication."""

    enabled: bool = Field(
        default=True,
        description="Ray asks for a token. Turn it off for jobs of KubeRay 1.5 only, whose operator cannot give one.",
    )
    existing_secret: OptionalDnsName = Field(
        default="",
        description="Secret that holds the token. Empty: the chart makes one at the first install and keeps it. "
        "Name your own one when a GitOps tool renders the chart, since it would make a new token each time.",
    )
    key: str = Field(
        default="auth_token",
        description="The token's key in that Secret; KubeRay takes no other than auth_token.",
        pattern=r"^[-._a-zA-Z0-9]+$",
    )


class Ray(Section):
    """Ports, CPUs and authentication."""

    port: int = Field(default=6379, description="Port of the head (GCS).", ge=1024, le=65535)
    dashboard_port: int = Field(
        default=8265, description="Port of the head's dashboard and job server.", ge=1024, le=65535
    )
    metrics_port: int = Field(
        default=8080, description="Port of each pod's metrics, in Prometheus' format.", ge=1024, le=65535
    )
    cpus: int = Field(
        default=0, description="CPUs that one pod offers to Ray. 0: two for each GPU, and at least two.", ge=0, le=1024
    )
    auth: RayAuth = Field(default_factory=RayAuth, description="Token authentication.")
