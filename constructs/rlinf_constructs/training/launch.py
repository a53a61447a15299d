"""The launch folder: what a pod runs and how the run is configured, in plain text, from two ConfigMaps.

Two, since `kubectl apply` and Argo CD write an object once more into an annotation of it, which holds 256 KiB.
"""

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
# What the bootstrap knows of the engines and does to them; the other ConfigMap has all else.
_ENGINE_FOLDERS = ("engines/", "patches/", "staging/")


def is_of_the_engines(path: str) -> bool:
    """Whether a file of the launch folder is in the ConfigMap for the engines."""
    return path.startswith(_ENGINE_FOLDERS)


def key(path: str) -> str:
    """The ConfigMap's key for a file of the launch folder; a key knows no folders."""
    return path.replace("/", ".")


def launch_volume(
    *, name: str, config_map: StringLike, engines_config_map: StringLike, paths: Sequence[str]
) -> k8s.Volume:
    """The launch folder as a volume, with the subfolders that the keys of a ConfigMap cannot have.

    Args:
        name: of the volume.
        config_map: name of the ConfigMap made by LaunchConfigMaps.
        engines_config_map: name of the other one.
        paths: of the files in the launch folder, but run.json.
    """
    of_engines = [path for path in paths if is_of_the_engines(path)]
    others = [path for path in paths if not is_of_the_engines(path)]
    sources = [_source(config_map, [_RUN, *others]), _source(engines_config_map, of_engines)]
    return k8s.Volume(name=name, projected=k8s.ProjectedVolumeSource(sources=sources))


def _source(config_map: StringLike, paths: Sequence[str]) -> k8s.VolumeProjection:
    items = [k8s.KeyToPath(key=key(path), path=path) for path in paths]
    return k8s.VolumeProjection(config_map=k8s.ConfigMapProjection(name=helm.string(config_map), items=items))


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
            data={_RUN: helm.string(helm.Block(props.run)), **helm.splice(props.files)},
        )
        k8s.KubeConfigMap(
            self,
            "EnginesConfigMap",
            metadata=k8s.ObjectMeta(name=helm.string(props.engines_name), labels=dict(props.labels)),
            data=helm.splice(props.engines_files),
        )
