"""Rules on `storage`: volumes that exist, and what can be kept on them."""

from __future__ import annotations

from rlinf_charts.names import HAS_SEPARATE_HEAD, values
from rlinf_charts.volumes import DATASETS, HAS_FSX, MODELS, RUNS_IS_OF_ONE_NODE
from rlinf_constructs.helm import Expression, Kind, Rule, ValuesRef, call, fmt

_storage = values.storage
_fsx = _storage.fsx
_runs = _storage.runs

_USES: dict[str, ValuesRef] = {
    "models": _storage.models,
    "datasets": _storage.datasets,
    "checkpoints": _storage.checkpoints,
    "cache": _storage.cache,
}
_WHY_NOT_MOUNTPOINT = (
    "Mountpoint for S3 cannot append to a file, rename or lock one; use fsx, which can export to S3 by itself, "
    "or a claim of another shared file system"
)

RUN_FOLDER_NEEDS_A_CLAIM = Rule(
    broken=~values.storage.checkpoints.volume & ~_runs.existing_claim & ~_runs.create,
    message=fmt(
        "storage.runs.existingClaim is empty and storage.runs.create is false, so the run folder has no claim: "
        "name an existing PersistentVolumeClaim, or set storage.runs.create=true"
    ),
)

NODES_SHARE_THE_RUN_FOLDER = Rule(
    broken=(values.nodes.count > 1) & RUNS_IS_OF_ONE_NODE,
    message=fmt(
        "storage.runs.accessMode is ReadWriteOnce while nodes.count is ",
        values.nodes.count,
        ": several nodes write to one run folder, which needs ReadWriteMany (FSx for Lustre, EFS), or nodes.count=1",
    ),
)

A_SEPARATE_HEAD_SHARES_THE_RUN_FOLDER = Rule(
    broken=HAS_SEPARATE_HEAD & RUNS_IS_OF_ONE_NODE,
    message=fmt(
        "storage.runs.accessMode is ReadWriteOnce while kuberay.head.separate is true: the head may get another "
        "machine than the node, and both write to the run folder, which needs ReadWriteMany (FSx for Lustre, EFS), or "
        "kuberay.head.separate=false"
    ),
)

ONE_WAY_TO_A_FILE_SYSTEM = Rule(
    broken=(_fsx.file_system_id & (_fsx.existing_claim | _fsx.storage_class_name))
    | (_fsx.existing_claim & _fsx.storage_class_name),
    message=fmt(
        "storage.fsx has fileSystemId '",
        _fsx.file_system_id,
        "', existingClaim '",
        _fsx.existing_claim,
        "' and storageClassName '",
        _fsx.storage_class_name,
        "', which are three ways to one file system: keep one of them",
    ),
)

A_FILE_SYSTEM_HAS_AN_ADDRESS = Rule(
    broken=_fsx.file_system_id & (~_fsx.dns_name | ~_fsx.mount_name),
    message=fmt(
        "storage.fsx.fileSystemId is ",
        _fsx.file_system_id,
        ", but dnsName is '",
        _fsx.dns_name,
        "' and mountName is '",
        _fsx.mount_name,
        "': the driver needs both, and `aws fsx describe-file-systems` prints them",
    ),
)

AN_ADDRESS_IS_OF_THE_FILE_SYSTEM = Rule(
    broken=_fsx.file_system_id
    & call("hasPrefix", "fs-", _fsx.dns_name)
    & ~call("hasPrefix", fmt(_fsx.file_system_id, "."), _fsx.dns_name),
    message=fmt(
        "storage.fsx.dnsName is ",
        _fsx.dns_name,
        " while storage.fsx.fileSystemId is ",
        _fsx.file_system_id,
        ": these are two file systems; write it as in ",
        _fsx.file_system_id,
        ".fsx.us-east-1.amazonaws.com, with your region",
    ),
)


def _exists(name: str, use: ValuesRef) -> list[Rule]:
    """The volume that a use names, of a kind that any use may have."""
    key = f"storage.{name}.volume"
    return [
        Rule(
            broken=use.volume.equals("fsx") & ~HAS_FSX,
            message=fmt(
                f"{key} is fsx, but storage.fsx names no file system: set its fileSystemId, existingClaim or "
                "storageClassName"
            ),
        ),
        _is_a_key(key, use, "claims/", "storage.claims", _storage.claims),
    ]


CACHE_HAS_A_SCRATCH = Rule(
    broken=_storage.cache.volume.equals("scratch") & ~_storage.scratch.size,
    message=fmt("storage.cache.volume is scratch, but storage.scratch.size is empty: set it, for example to 500Gi"),
)


def _is_a_key(key: str, use: ValuesRef, prefix: str, place: str, volumes: Expression) -> Rule:
    named = call("trimPrefix", prefix, use.volume)
    known = call("join", ", ", call("sortAlpha", call("keys", volumes)))
    return Rule(
        broken=call("hasPrefix", prefix, use.volume) & ~call("hasKey", volumes, named),
        message=fmt(
            f"{key} is ", use.volume, f", but {place} has no ", named, ": it has ", call("default", "none", known)
        ),
    )


def _is_no_bucket(name: str, use: ValuesRef) -> Rule:
    return Rule(
        broken=call("hasPrefix", "s3/", use.volume),
        message=fmt(f"storage.{name}.volume is ", use.volume, f": {_WHY_NOT_MOUNTPOINT}"),
    )


def _can_be_written(name: str, use: ValuesRef) -> Rule:
    claim = call("trimPrefix", "claims/", use.volume)
    return Rule(
        broken=call("hasPrefix", "claims/", use.volume)
        & call("dig", claim, "readOnly", False, _storage.claims, kind=Kind.BOOLEAN),
        message=fmt(
            f"storage.{name}.volume is ",
            use.volume,
            ", which is mounted read-only: set storage.claims.",
            claim,
            ".readOnly=false, or name another volume",
        ),
    )


def _outlives_a_pod(name: str, use: ValuesRef, why: str, others: str) -> Rule:
    return Rule(
        broken=use.volume.equals("scratch"),
        message=fmt(f"storage.{name}.volume is scratch, which comes and goes with a pod: {why}; use {others}"),
    )


def _has_a_path_of_its_own(condition: Expression, path: str, key: str) -> Rule:
    """The claim of runs is mounted where no other volume is."""
    return Rule(
        broken=condition & ~_storage.checkpoints.volume & _runs.mount_path.equals(path),
        message=fmt(
            f"storage.runs.mountPath is {path}, where {key} is mounted: choose another path, or let "
            "storage.checkpoints name a volume for the run folder"
        ),
    )


RULES = [
    RUN_FOLDER_NEEDS_A_CLAIM,
    NODES_SHARE_THE_RUN_FOLDER,
    A_SEPARATE_HEAD_SHARES_THE_RUN_FOLDER,
    ONE_WAY_TO_A_FILE_SYSTEM,
    A_FILE_SYSTEM_HAS_AN_ADDRESS,
    AN_ADDRESS_IS_OF_THE_FILE_SYSTEM,
    *(rule for name, use in _USES.items() for rule in _exists(name, use)),
    _is_a_key("storage.models.volume", _storage.models, "s3/", "storage.s3", _storage.s3),
    _is_a_key("storage.datasets.volume", _storage.datasets, "s3/", "storage.s3", _storage.s3),
    CACHE_HAS_A_SCRATCH,
    _is_no_bucket("checkpoints", _storage.checkpoints),
    _is_no_bucket("cache", _storage.cache),
    _can_be_written("checkpoints", _storage.checkpoints),
    _can_be_written("cache", _storage.cache),
    _outlives_a_pod("models", _storage.models, "it is empty at first", "fsx, s3/KEY or claims/KEY"),
    _outlives_a_pod("datasets", _storage.datasets, "it is empty at first", "fsx, s3/KEY or claims/KEY"),
    _outlives_a_pod("checkpoints", _storage.checkpoints, "no other pod sees what is in it", "fsx or claims/KEY"),
    _has_a_path_of_its_own(HAS_FSX, "/fsx", "storage.fsx"),
    _has_a_path_of_its_own(_storage.scratch.size, "/scratch", "storage.scratch"),
    _has_a_path_of_its_own(_storage.models.volume, MODELS, "storage.models"),
    _has_a_path_of_its_own(_storage.datasets.volume, DATASETS, "storage.datasets"),
]
