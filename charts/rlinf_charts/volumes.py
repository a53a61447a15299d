"""The pods' volumes from `storage`."""

from __future__ import annotations

from cdk8s_plus_35 import k8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.platform.storage import Mount

_RUNS = "runs"


def runs_mount() -> Mount:
    """The claim of the run folder."""
    claim = k8s.PersistentVolumeClaimVolumeSource(claim_name=helm.string(names.RUNS_CLAIM))
    return Mount(
        volume=k8s.Volume(name=_RUNS, persistent_volume_claim=claim),
        mount=k8s.VolumeMount(name=_RUNS, mount_path=helm.string(values.storage.runs.mount_path)),
    )


def claim_mounts() -> Mount:
    """One volume and mount for each of `storage.claims`."""
    return Mount(
        volume=helm.each(
            values.storage.claims,
            lambda claim: k8s.Volume(
                name=helm.string(claim.name),
                persistent_volume_claim=k8s.PersistentVolumeClaimVolumeSource(claim_name=helm.string(claim.claim_name)),
            ),
            name="claim",
        ),
        mount=helm.each(
            values.storage.claims,
            lambda claim: helm.extend(
                k8s.VolumeMount(
                    name=helm.string(claim.name),
                    mount_path=helm.string(claim.mount_path),
                    sub_path=helm.when(claim.sub_path, helm.string(claim.sub_path)),
                ),
                readOnly=claim.read_only,
            ),
            name="claim",
        ),
    )
