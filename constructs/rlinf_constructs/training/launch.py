"""The launch ConfigMap: what a pod runs and how the run is configured, in plain text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike

MOUNT_PATH = "/opt/rlinf/launch"
SCRIPT = f"{MOUNT_PATH}/launch.sh"


@dataclass(frozen=True, kw_only=True)
class LaunchProps:
    """Properties of a LaunchConfigMap.

    Attributes:
        name: of the ConfigMap.
        labels: of the ConfigMap.
        run: text of `run.json`.
        files: launch.sh and the bootstrap's modules, as the chart's files.
    """

    name: StringLike
    labels: Mapping[str, Any]
    run: helm.Helper
    files: helm.Files


class LaunchConfigMap(Construct):
    """ConfigMap with `launch.sh`, `run.json` and the bootstrap's modules."""

    def __init__(self, scope: Construct, construct_id: str, props: LaunchProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeConfigMap(
            self,
            "ConfigMap",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            data={"run.json": helm.string(helm.Block(props.run)), **helm.splice(props.files)},
        )
