"""The pods' volumes from `storage`, and the folders in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Helper, Kind, StringLike, ValuesRef, call, conditional, fmt
from rlinf_constructs.platform.storage import Mount

MODELS, DATASETS = "/models", "/datasets"

_storage = values.storage
_CLAIM = "claims/"

HAS_FSX = Helper(
    name="rlinf.hasFsx",
    body=_storage.fsx.file_system_id | _storage.fsx.existing_claim | _storage.fsx.storage_class_name,
    about="Whether pods mount a file system of FSx for Lustre.",
)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A volume of the pods that the values decide on, and where they see it.

    Attributes:
        name: of the volume.
        is_there: whether pods have it.
        path: of its mount.
    """

    name: str
    is_there: Expression
    path: StringLike


RUNS = Place(name="runs", is_there=~_storage.checkpoints.volume, path=_storage.runs.mount_path)
FSX = Place(name="fsx", is_there=HAS_FSX, path="/fsx")
SCRATCH = Place(name="scratch", is_there=_storage.scratch.size, path="/scratch")
PLACES = (RUNS, FSX, SCRATCH)

# A claim that the chart makes for the run folder, and that the pods of one node only can mount.
RUNS_IS_OF_ONE_NODE = (
    _storage.runs.access_mode.equals("ReadWriteOnce") & ~_storage.runs.existing_claim & ~_storage.checkpoints.volume
)


def _folder(use: ValuesRef) -> Expression:
    """Where pods see the folder of a use: all volumes but claims are mounted at the path that is their name."""
    claim = call("trimPrefix", _CLAIM, use.volume)
    mounted_at = conditional(
        call("hasPrefix", _CLAIM, use.volume),
        call("dig", claim, "mountPath", "", _storage.claims, kind=Kind.STRING),
        fmt("/", use.volume),
    )
    return fmt(mounted_at, conditional(use.path.differs(""), fmt("/", use.path), ""))


RUN_FOLDER = Helper(
    name="rlinf.runFolder",
    body=fmt(
        # A file system may serve many namespaces, and each may have a release of this name; a claim is one's own.
        conditional(
            _storage.checkpoints.volume.differs(""),
            fmt(_folder(_storage.checkpoints), "/", names.NAMESPACE),
            _storage.runs.mount_path,
        ),
        "/",
        names.FULLNAME,
    ),
    about="Folder of this run: metrics, checkpoints, the marker of a finished run.",
)

CACHE_FOLDER = Helper(
    name="rlinf.cacheFolder",
    body=_folder(_storage.cache),
    about="Folder of what libraries download and compile.",
)

HELPERS = [HAS_FSX, RUN_FOLDER, CACHE_FOLDER]


def mounts() -> list[Mount]:
    """All volumes of a pod but scratch, then the folders that have a place of their own."""
    return [
        _when(RUNS.is_there, _of_claim(RUNS.name, names.RUNS_CLAIM, RUNS.path)),
        _when(FSX.is_there, _of_claim(FSX.name, names.FSX_CLAIM, FSX.path)),
        _each(_storage.s3, _bucket, value="bucket"),
        _each(_storage.claims, _claim, value="claim"),
        _folder_at(MODELS, _storage.models),
        _folder_at(DATASETS, _storage.datasets),
    ]


def _of_claim(name: StringLike, claim: StringLike, path: StringLike) -> Mount:
    source = k8s.PersistentVolumeClaimVolumeSource(claim_name=helm.string(claim))
    return Mount(
        volume=k8s.Volume(name=helm.string(name), persistent_volume_claim=source),
        mount=k8s.VolumeMount(name=helm.string(name), mount_path=helm.string(path)),
    )


def scratch() -> Mount:
    """Scratch space of a node: on its disk, or a claim that comes and goes with the pod."""
    scratch = _storage.scratch
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": helm.string(scratch.storage_class_name),
        "resources": {"requests": {"storage": helm.string(scratch.size)}},
    }
    volume = helm.extend(
        k8s.Volume(name=SCRATCH.name),
        emptyDir=helm.when(~scratch.storage_class_name, {"sizeLimit": helm.string(scratch.size)}),
        ephemeral=helm.when(scratch.storage_class_name, {"volumeClaimTemplate": {"spec": claim}}),
    )
    shared = helm.shared("scratch", volume, about="Scratch space of a node.")
    return _scratch(shared)


def scratch_of_helpers() -> Mount:
    """The same folder in a pod that trains nothing: variables may name it, but nobody pays for a disk behind it."""
    return _scratch(k8s.Volume(name=SCRATCH.name, empty_dir=k8s.EmptyDirVolumeSource()))


def _scratch(volume: k8s.Volume) -> Mount:
    mount = k8s.VolumeMount(name=SCRATCH.name, mount_path=helm.string(SCRATCH.path))
    return _when(SCRATCH.is_there, Mount(volume=volume, mount=mount))


def _bucket(key: Expression, bucket: Any) -> Mount:
    mount = _of_claim(fmt("s3-", key), names.bucket_claim(key), fmt("/s3/", key))
    return Mount(volume=mount.volume, mount=helm.extend(mount.mount, readOnly=~bucket.writable))


def _claim(key: Expression, claim: Any) -> Mount:
    mount = _of_claim(fmt("claims-", key), claim.claim_name, claim.mount_path)
    return Mount(volume=mount.volume, mount=helm.extend(mount.mount, readOnly=claim.read_only))


def _folder_at(path: str, use: ValuesRef) -> Mount:
    mount = k8s.VolumeMount(
        name=helm.string(call("replace", "/", "-", use.volume)),
        mount_path=path,
        sub_path=helm.when(use.path, helm.string(use.path)),
        read_only=True,
    )
    return Mount(volume=None, mount=helm.when(use.volume, mount))


def _when(condition: Expression, mount: Mount) -> Mount:
    return Mount(volume=helm.when(condition, mount.volume), mount=helm.when(condition, mount.mount))


def _each(collection: Expression, make: Any, *, value: str) -> Mount:
    return Mount(
        volume=helm.each_entry(collection, lambda key, item: make(key, item).volume, key="key", value=value),
        mount=helm.each_entry(collection, lambda key, item: make(key, item).mount, key="key", value=value),
    )
