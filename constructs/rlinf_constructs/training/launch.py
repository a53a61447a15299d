"""The launch ConfigMap: what a pod runs and how the run is configured, in plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike

MOUNT_PATH = "/opt/rlinf/launch"
SCRIPT = f"{MOUNT_PATH}/launch.sh"
_RUN = "run.json"


def key(path: str) -> str:
    """The ConfigMap's key for a file of the launch folder; a key knows no folders."""
    return path.replace("/", ".")


def launch_volume(*, name: str, config_map: StringLike, paths: Sequence[str]) -> k8s.Volume:
    """The launch folder as a volume, with the subfolders that the keys of the ConfigMap cannot have.

    Args:
        name: of the volume.
        config_map: name of the ConfigMap made by LaunchConfigMap.
        paths: of the files in the launch folder, but run.json.
    """
    items = [k8s.KeyToPath(key=key(path), path=path) for path in (_RUN, *paths)]
    return k8s.Volume(name=name, config_map=k8s.ConfigMapVolumeSource(name=helm.string(config_map), items=items))


@dataclass(frozen=True, kw_only=True)
class LaunchProps:
    """Properties of a LaunchConfigMap.

    Attributes:
        name: of the ConfigMap.
        labels: of the ConfigMap.
        run: text of `run.json`.
        files: launch.sh and the bootstrap's modules, as the chart's files, each named by its `key`.
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
            data={_RUN: helm.string(helm.Block(props.run)), **helm.splice(props.files)},
        )
