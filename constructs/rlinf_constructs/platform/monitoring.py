"""What Prometheus scrapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cdk8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike


@dataclass(frozen=True, kw_only=True)
class PodMonitorProps:
    """Properties of a PodMonitor.

    Attributes:
        name: of the PodMonitor.
        labels: of the PodMonitor, by which a Prometheus selects it.
        selector: labels of the pods.
        port: name of the container's port.
        interval: between two scrapes, such as 30s.
        pod_labels: labels of the pods that their metrics carry as well.
    """

    name: StringLike
    labels: Mapping[str, Any]
    selector: Mapping[str, Any]
    port: str
    interval: StringLike
    pod_labels: tuple[str, ...] = ()


class PodMonitor(Construct):
    """Tells prometheus-operator to scrape pods, which need no Service for it."""

    def __init__(self, scope: Construct, construct_id: str, props: PodMonitorProps) -> None:
        super().__init__(scope, construct_id)
        monitor = cdk8s.ApiObject(
            self,
            "PodMonitor",
            api_version="monitoring.coreos.com/v1",
            kind="PodMonitor",
            metadata=cdk8s.ApiObjectMetadata(name=helm.string(props.name), labels=dict(props.labels)),
        )
        spec = {
            "selector": {"matchLabels": dict(props.selector)},
            "podTargetLabels": list(props.pod_labels),
            "podMetricsEndpoints": [{"port": props.port, "interval": helm.string(props.interval)}],
        }
        monitor.add_json_patch(cdk8s.JsonPatch.add("/spec", spec))
