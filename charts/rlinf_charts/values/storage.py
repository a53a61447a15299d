"""`storage`: volumes that outlive a pod."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.section import ABSOLUTE_PATH, DNS_LABEL, OPTIONAL_DNS_NAME, QUANTITY, Section


class Runs(Section):
    """The claim that holds the run folder: metrics, checkpoints, the marker of a finished run."""

    existing_claim: str = Field(
        default="",
        description="PersistentVolumeClaim to use, for example on FSx for Lustre. Empty: the chart makes one.",
        pattern=OPTIONAL_DNS_NAME,
    )
    create: bool = Field(default=True, description="Make a claim when existingClaim is empty.")
    keep: bool = Field(
        default=True, description="Keep the chart's claim, and so the checkpoints, when the release is uninstalled."
    )
    size: str = Field(default="100Gi", description="Size of the claim that the chart makes.", pattern=QUANTITY)
    storage_class_name: str = Field(
        default="",
        description="StorageClass of the claim that the chart makes. Empty: the cluster's default.",
        pattern=OPTIONAL_DNS_NAME,
    )
    volume_name: str = Field(
        default="",
        description="PersistentVolume that the chart's claim binds to, for volumes made by hand.",
        pattern=OPTIONAL_DNS_NAME,
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


class Claim(Section):
    """One more claim that the pods mount."""

    name: str = Field(description="Name of the volume in the pod.", pattern=DNS_LABEL, max_length=63)
    claim_name: str = Field(description="The PersistentVolumeClaim, which must exist.", min_length=1)
    mount_path: str = Field(description="Where it is mounted.", pattern=ABSOLUTE_PATH)
    sub_path: str = Field(default="", description="Folder of the volume to mount. Empty: all of it.")
    read_only: bool = Field(default=False, description="Mount it read-only.")


class Storage(Section):
    """The run folder's claim, and others."""

    runs: Runs = Field(default_factory=Runs, description="The claim that holds the run folder.")
    claims: list[Claim] = Field(
        default_factory=list[Claim],
        description="More claims to mount, for models and data sets: a list of\n"
        "{name, claimName, mountPath, subPath, readOnly}.",
    )
