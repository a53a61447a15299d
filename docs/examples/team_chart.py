"""A platform team's chart: ours, with a sidecar that keeps Ray's logs, which are gone with their pod otherwise."""

from __future__ import annotations

from typing import Any

import cdk8s
from cdk8s_plus_35 import k8s
from pydantic import Field

from rlinf_charts.values import RlinfValues
from rlinf_charts.values.section import Section
from rlinf_charts.variant import Extension
from rlinf_constructs import helm
from rlinf_constructs.platform.pods import add_sidecar
from rlinf_constructs.platform.security import container_security_context


class RayLogs(Section):
    """Where Ray's logs go."""

    enabled: bool = Field(default=True, description="Send Ray's logs to the team's log store.")
    image: str = Field(default="fluent/fluent-bit:4.1.1", description="Image of Fluent Bit.")
    host: str = Field(default="logs.logging.svc", description="Host of the log store.")


class TeamValues(RlinfValues):
    """All keys of the chart, and the team's own."""

    ray_logs: RayLogs = Field(default_factory=RayLogs, description="Where Ray's logs go.")


class TeamChart(Extension):
    """The sidecar, in every mode."""

    values = TeamValues

    def add(self, objects: cdk8s.Chart, values: Any) -> None:
        """Add it to every training pod, unless a value says no."""
        logs = values.ray_logs
        destination = helm.string(helm.fmt("--prop=host=", logs.host))
        sidecar = k8s.Container(
            name="ray-logs",
            image=helm.string(logs.image),
            args=["--input=tail", "--prop=path=/logs/ray/session_2*/logs/*.log", "--output=forward", destination],
            volume_mounts=[k8s.VolumeMount(name="tmp", mount_path="/logs", read_only=True)],
            security_context=container_security_context(read_only_root_filesystem=True),
        )
        add_sidecar(objects, helm.when(logs.enabled, sidecar))
