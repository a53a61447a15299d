"""`storage`: volumes, and what is kept where."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from rlinf_charts.values.section import (
    ABSOLUTE_PATH,
    OPTIONAL_QUANTITY,
    QUANTITY,
    RELATIVE_PATH,
    SUBDOMAIN,
    VOLUME_KEY,
    DnsName,
    OptionalDnsName,
    OptionalHostName,
    Section,
)

VolumeKey = Annotated[str, StringConstraints(pattern=VOLUME_KEY)]
_VOLUME = r"^(fsx|scratch|(claims|s3)/[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?)?$"


class Runs(Section):
    """The claim that holds the run folder: metrics, checkpoints, the marker of a finished run."""

    existing_claim: OptionalDnsName = Field(
        default="",
        description="PersistentVolumeClaim to use. Empty: the chart makes one.",
    )
    create: bool = Field(default=True, description="Make a claim when existingClaim is empty.")
    keep: bool = Field(
        default=True, description="Keep the chart's claim, and so the checkpoints, when the release is uninstalled."
    )
    size: str = Field(default="100Gi", description="Size of the claim that the chart makes.", pattern=QUANTITY)
    storage_class_name: OptionalDnsName = Field(
        default="",
        description="StorageClass of the claim that the chart makes. Empty: the cluster's default.",
    )
    volume_name: OptionalDnsName = Field(
        default="",
        description="PersistentVolume that the chart's claim binds to, for volumes made by hand.",
    )
    access_mode: Literal["ReadWriteMany", "ReadWriteOnce"] = Field(
        default="ReadWriteMany",
        description="Access mode of the claim that the chart makes; several nodes need ReadWriteMany.",
    )
    mount_path: str = Field(
        default="/runs",
        description="Where it is mounted; the run folder is a folder in it named after the release.",
        pattern=ABSOLUTE_PATH,
    )


class Fsx(Section):
    """A file system of FSx for Lustre, mounted at /fsx: one that exists, by its id or by a claim, or a new one."""

    file_system_id: str = Field(
        default="",
        description="Id of a file system that exists, such as fs-0123456789abcdef0. The chart makes a "
        "PersistentVolume and a claim for it, and deletes both with the release, but never the data.",
        pattern=r"^(fs-[0-9a-f]{8,17})?$",
    )
    dns_name: OptionalHostName = Field(
        default="",
        description="Its DNS name, as in fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com.",
    )
    mount_name: str = Field(
        default="", description="Its mount name, such as fsx or 3h2ufbev.", pattern=r"^[a-z0-9]{0,8}$"
    )
    existing_claim: OptionalDnsName = Field(default="", description="PersistentVolumeClaim on FSx to use instead.")
    storage_class_name: OptionalDnsName = Field(
        default="",
        description="StorageClass by which the FSx driver makes a new file system instead. Its claim stays when the "
        "release is uninstalled, and the file system with it.",
    )
    size: str = Field(
        default="1200Gi",
        description="Size of a new file system. For one that exists it is a formality of Kubernetes.",
        pattern=QUANTITY,
    )


class S3Bucket(Section):
    """A bucket, mounted at /s3/KEY by the Mountpoint for Amazon S3 CSI driver."""

    bucket: str = Field(
        description="Name of the bucket alone, without s3:// and folders (see prefix).",
        pattern=rf"^{SUBDOMAIN}$",
        min_length=3,
        max_length=63,
    )
    region: str = Field(default="", description="Its region.", pattern=r"^([a-z]{2,4}(-[a-z]+)+-[0-9]{1,2})?$")
    prefix: str = Field(default="", description="Mount only keys below it; ends with /.", pattern=r"^([^ /]+/)*$")
    writable: bool = Field(default=False, description="Let pods write new objects, delete and overwrite them.")
    cache_size: str = Field(
        default="",
        description="Size of a local cache of what was read. Empty: there is none.",
        pattern=OPTIONAL_QUANTITY,
    )
    cache_storage_class: OptionalDnsName = Field(
        default="",
        description="StorageClass of that cache. Empty: the node's own disk.",
    )
    credentials: Literal["driver", "pod"] = Field(
        default="driver", description="Whose IAM role reads the bucket: the driver's, or the pods' ServiceAccount's."
    )


class Claim(Section):
    """One more claim that the pods mount."""

    claim_name: DnsName = Field(description="The PersistentVolumeClaim, which must exist.")
    mount_path: str = Field(description="Where it is mounted.", pattern=ABSOLUTE_PATH)
    read_only: bool = Field(default=False, description="Mount it read-only.")


class Scratch(Section):
    """Space of each pod's own, mounted at /scratch; it goes with the pod."""

    size: str = Field(default="", description="Its size. Empty: there is none.", pattern=OPTIONAL_QUANTITY)
    storage_class_name: OptionalDnsName = Field(
        default="",
        description="StorageClass of an ephemeral volume. Empty: the node's own disk.",
    )


class Use(Section):
    """A folder of one of the volumes."""

    volume: str = Field(
        default="",
        description="The volume: fsx, scratch, s3/KEY or claims/KEY. Empty: none.",
        pattern=_VOLUME,
    )
    path: str = Field(default="", description="Folder in the volume. Empty: all of it.", pattern=RELATIVE_PATH)


class Storage(Section):
    """Volumes, and what is kept where."""

    runs: Runs = Field(
        default_factory=Runs, description="The claim that holds the run folder, unless checkpoints names a volume."
    )
    fsx: Fsx = Field(
        default_factory=Fsx,
        description="A file system of FSx for Lustre, mounted at /fsx: one that exists, by its id or by a claim, or a "
        "new one.",
    )
    s3: dict[VolumeKey, S3Bucket] = Field(
        default_factory=dict[str, S3Bucket],
        description="Buckets by a key of your choice, mounted at /s3/KEY by the Mountpoint for Amazon S3 CSI driver: "
        "{models: {bucket, region, prefix, writable, cacheSize, cacheStorageClass, credentials}}. "
        "Mountpoint knows no append, rename or lock: good for reading, not for checkpoints.",
    )
    claims: dict[VolumeKey, Claim] = Field(
        default_factory=dict[str, Claim],
        description="Other claims by a key of your choice: {nfs: {claimName, mountPath, readOnly}}.",
    )
    scratch: Scratch = Field(
        default_factory=Scratch, description="Space of each pod's own, mounted at /scratch; it goes with the pod."
    )
    models: Use = Field(default_factory=Use, description="Where models lie: seen read-only at /models.")
    datasets: Use = Field(default_factory=Use, description="Where data sets lie: seen read-only at /datasets.")
    checkpoints: Use = Field(
        default_factory=Use,
        description="Where run folders lie, with checkpoints and metrics, each as NAMESPACE/NAME; it takes the place "
        "of the claim of runs.",
    )
    cache: Use = Field(
        default_factory=Use,
        description="Where libraries keep what they download and compile (XDG_CACHE_HOME). Empty: in the pod's /tmp.",
    )
