"""Claims and their mounts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A volume and where the container sees it.

    Attributes:
        volume: with its name and source.
        mount: with the same name.
    """

    volume: k8s.Volume
    mount: k8s.VolumeMount


@dataclass(frozen=True, kw_only=True)
class ClaimProps:
    """Properties of a PersistentVolumeClaim.

    Attributes:
        name: of the claim.
        labels: of the claim.
        annotations: of the claim.
        size: requested storage.
        access_mode: such as ReadWriteMany.
        storage_class: name; a field that is absent means the cluster's default.
        volume: name of the PersistentVolume to bind to.
    """

    name: StringLike
    labels: Mapping[str, Any]
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    size: StringLike
    access_mode: StringLike
    storage_class: StringLike
    volume: StringLike


class Claim(Construct):
    """A PersistentVolumeClaim."""

    def __init__(self, scope: Construct, construct_id: str, props: ClaimProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubePersistentVolumeClaim(
            self,
            "Claim",
            metadata=k8s.ObjectMeta(
                name=helm.string(props.name), labels=dict(props.labels), annotations=dict(props.annotations)
            ),
            spec=k8s.PersistentVolumeClaimSpec(
                access_modes=[helm.string(props.access_mode)],
                resources=k8s.VolumeResourceRequirements(
                    requests={"storage": k8s.Quantity.from_string(helm.string(props.size))}
                ),
                storage_class_name=helm.string(props.storage_class),
                volume_name=helm.string(props.volume),
            ),
        )
