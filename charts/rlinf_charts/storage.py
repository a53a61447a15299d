"""The objects behind `storage`: claims, and volumes for storage that exists."""

from __future__ import annotations

from typing import Any

import cdk8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, conditional, fmt
from rlinf_constructs.platform.storage import Claim, ClaimProps, StaticVolume, StaticVolumeProps

_storage = values.storage
_labels = helm.splice(names.LABELS)


def add_storage(objects: cdk8s.Chart) -> None:
    """Add the claim of the run folder, the file system, and the buckets."""
    _add_runs_claim(objects)
    _add_file_system(objects)
    _add_file_system_claim(objects)
    helm.each_entry(_storage.s3, lambda key, bucket: _bucket(objects, key, bucket), key="key", value="bucket")


def _add_runs_claim(objects: cdk8s.Chart) -> None:
    runs = _storage.runs
    claim = Claim(
        objects,
        "RunsClaim",
        ClaimProps(
            name=names.RUNS_CLAIM_OWN,
            labels=_labels,
            annotations={"helm.sh/resource-policy": helm.when(runs.keep, "keep")},
            size=runs.size,
            access_mode=runs.access_mode,
            storage_class=helm.unless_empty(runs.storage_class_name),
            volume=helm.unless_empty(runs.volume_name),
        ),
    )
    helm.when(runs.create & ~runs.existing_claim & ~_storage.checkpoints.volume, claim)


def _add_file_system(objects: cdk8s.Chart) -> None:
    """A file system that exists."""
    fsx = _storage.fsx
    volume = StaticVolume(
        objects,
        "Fsx",
        StaticVolumeProps(
            name=names.cluster_wide("fsx"),
            claim=names.FSX_CLAIM_OWN,
            namespace=names.NAMESPACE,
            labels=_labels,
            access_mode="ReadWriteMany",
            size=fsx.size,
            # Locks that hold between nodes.
            mount_options=["flock"],
            driver="fsx.csi.aws.com",
            # Kubelet mounts a handle once on a node, whoever's volume it is in.
            handle=fmt(fsx.file_system_id, ".", names.cluster_wide("fsx")),
            attributes={"dnsname": helm.string(fsx.dns_name), "mountname": helm.string(fsx.mount_name)},
        ),
    )
    helm.when(fsx.file_system_id, volume)


def _add_file_system_claim(objects: cdk8s.Chart) -> None:
    """A new file system, which a StorageClass makes; it stays when the release is uninstalled."""
    fsx = _storage.fsx
    claim = Claim(
        objects,
        "FsxClaim",
        ClaimProps(
            name=names.FSX_CLAIM_OWN,
            labels=_labels,
            annotations={"helm.sh/resource-policy": "keep"},
            size=fsx.size,
            access_mode="ReadWriteMany",
            storage_class=fsx.storage_class_name,
        ),
    )
    helm.when(fsx.storage_class_name, claim)


def _bucket(objects: cdk8s.Chart, key: Expression, bucket: Any) -> StaticVolume:
    name = names.cluster_wide(fmt("s3-", key))
    return StaticVolume(
        objects,
        "S3",
        StaticVolumeProps(
            name=name,
            claim=names.bucket_claim(key),
            namespace=names.NAMESPACE,
            labels=_labels,
            access_mode=conditional(bucket.writable, "ReadWriteMany", "ReadOnlyMany"),
            size="1Gi",
            mount_options=_mount_options(bucket),
            driver="s3.csi.aws.com",
            # The driver cannot tell two volumes with the same handle apart, even of the same bucket.
            handle=name,
            attributes=_attributes(bucket),
        ),
    )


def _mount_options(bucket: Any) -> list[str]:
    security = values.pod_security
    return [
        helm.when(bucket.region, helm.string(fmt("region ", bucket.region))),
        helm.when(bucket.prefix, helm.string(fmt("prefix ", bucket.prefix))),
        helm.when(~bucket.writable, "read-only"),
        helm.when(bucket.writable, "allow-delete"),
        helm.when(bucket.writable, "allow-overwrite"),
        # The driver mounts as another user than that of the pods.
        "allow-other",
        helm.string(fmt("uid=", security.run_as_user)),
        helm.string(fmt("gid=", security.run_as_group)),
    ]


def _attributes(bucket: Any) -> dict[str, str]:
    size, storage_class = bucket.cache_size, bucket.cache_storage_class
    on_disk, in_a_volume = size & ~storage_class, size & storage_class
    return {
        "bucketName": helm.string(bucket.bucket),
        "authenticationSource": helm.string(bucket.credentials),
        "cache": helm.when(size, helm.string(conditional(storage_class.differs(""), "ephemeral", "emptyDir"))),
        "cacheEmptyDirSizeLimit": helm.when(on_disk, helm.string(size)),
        "cacheEphemeralStorageClassName": helm.when(in_a_volume, helm.string(storage_class)),
        "cacheEphemeralStorageResourceRequest": helm.when(in_a_volume, helm.string(size)),
    }
