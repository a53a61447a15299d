"""Claims and their mounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        volume: with its name and source; None where another mount brings it.
        mount: with the same name.
    """

    volume: k8s.Volume | None
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
        storage_class: name; None means the cluster's default.
        volume: name of the PersistentVolume to bind to; None for any.
    """

    name: StringLike
    labels: Mapping[str, Any]
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    size: StringLike
    access_mode: StringLike
    storage_class: StringLike | None = None
    volume: StringLike | None = None


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
                storage_class_name=None if props.storage_class is None else helm.string(props.storage_class),
                volume_name=None if props.volume is None else helm.string(props.volume),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class StaticVolumeProps:
    """Properties of a StaticVolume.

    Attributes:
        name: of the PersistentVolume, which no other one in the cluster has.
        claim: name of the claim.
        namespace: of the claim.
        labels: of both.
        access_mode: of both.
        size: of both; for storage that exists it is a formality.
        mount_options: in the order in which they are given.
        driver: CSI driver.
        handle: by which the driver knows the volume.
        attributes: what the driver asks for, by name.
    """

    name: StringLike
    claim: StringLike
    namespace: StringLike
    labels: Mapping[str, Any]
    access_mode: StringLike
    size: StringLike
    mount_options: Sequence[str]
    driver: str
    handle: StringLike
    attributes: Mapping[str, str]


class StaticVolume(Construct):
    """Storage that exists, as a PersistentVolume and a claim that are bound to each other only.

    Deleting both leaves the data alone.
    """

    def __init__(self, scope: Construct, construct_id: str, props: StaticVolumeProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubePersistentVolume(
            self,
            "Volume",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=k8s.PersistentVolumeSpec(
                access_modes=[helm.string(props.access_mode)],
                capacity={"storage": k8s.Quantity.from_string(helm.string(props.size))},
                # No class, or a default one would make a new volume.
                storage_class_name="",
                claim_ref=k8s.ObjectReference(namespace=helm.string(props.namespace), name=helm.string(props.claim)),
                persistent_volume_reclaim_policy="Retain",
                mount_options=list(props.mount_options),
                csi=k8s.CsiPersistentVolumeSource(
                    driver=props.driver,
                    volume_handle=helm.string(props.handle),
                    volume_attributes=dict(props.attributes),
                ),
            ),
        )
        Claim(
            self,
            "Claim",
            ClaimProps(
                name=props.claim,
                labels=props.labels,
                size=props.size,
                access_mode=props.access_mode,
                storage_class="",
                volume=props.name,
            ),
        )
