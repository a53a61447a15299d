"""The launch folder: what a pod runs and how the run is configured, in plain text, from two ConfigMaps.

Two, since `kubectl apply` and Argo CD write an object once more into an annotation of it, which holds 256 KiB.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, StringLike

VOLUME = "launch"
MOUNT_PATH = "/opt/rlinf/launch"
SCRIPT = f"{MOUNT_PATH}/launch.sh"
RUN_FILE = "run.json"
# What the bootstrap knows of the engines and does to them; the other ConfigMap has all else.
_ENGINE_FOLDERS = ("engines/", "patches/", "staging/")


def is_of_the_engines(path: str) -> bool:
    """Whether a file of the launch folder is in the ConfigMap for the engines."""
    return path.startswith(_ENGINE_FOLDERS)


def key(path: str) -> str:
    """The ConfigMap's key for a file of the launch folder; a key knows no folders."""
    return path.replace("/", ".")


def items(paths: Iterable[str]) -> list[dict[str, str]]:
    """The items of a ConfigMap's volume: they put files into the folders that its keys cannot have."""
    return [{"key": key(path), "path": path} for path in paths]


def launch_volume(
    *,
    config_map: StringLike,
    config_map_items: Expression,
    engines_config_map: StringLike,
    engines_config_map_items: Expression,
) -> k8s.Volume:
    """The launch folder as a volume.

    Args:
        config_map: name of the ConfigMap with run.json made by LaunchConfigMaps.
        config_map_items: a list expression of its `items`.
        engines_config_map: name of the other one.
        engines_config_map_items: likewise.
    """
    sources = [_source(config_map, config_map_items), _source(engines_config_map, engines_config_map_items)]
    return k8s.Volume(name=VOLUME, projected=k8s.ProjectedVolumeSource(sources=sources))


def _source(config_map: StringLike, config_map_items: Expression) -> k8s.VolumeProjection:
    untyped = [helm.all_of(config_map_items, k8s.KeyToPath(key="", path=""))]
    return k8s.VolumeProjection(config_map=k8s.ConfigMapProjection(name=helm.string(config_map), items=untyped))


@dataclass(frozen=True, kw_only=True)
class LaunchProps:
    """Properties of the LaunchConfigMaps.

    Attributes:
        name: of the ConfigMap with `run.json`.
        engines_name: of the other one.
        labels: of both.
        run: text of `run.json`.
        files: launch.sh and the bootstrap's modules, as the chart's files, each named by its `key`.
        engines_files: likewise those for which `is_of_the_engines` holds.
    """

    name: StringLike
    engines_name: StringLike
    labels: Mapping[str, Any]
    run: helm.Helper
    files: helm.Files
    engines_files: helm.Files


class LaunchConfigMaps(Construct):
    """ConfigMaps with `launch.sh`, `run.json` and the bootstrap's modules."""

    def __init__(self, scope: Construct, construct_id: str, props: LaunchProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeConfigMap(
            self,
            "ConfigMap",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            data={RUN_FILE: helm.string(helm.Block(props.run)), **helm.splice(props.files)},
        )
        k8s.KubeConfigMap(
            self,
            "EnginesConfigMap",
            metadata=k8s.ObjectMeta(name=helm.string(props.engines_name), labels=dict(props.labels)),
            data=helm.splice(props.engines_files),
        )
