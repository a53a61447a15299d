"""Rules on keys that would do nothing, since another value keeps them from it: silence would look like success.

Switches are no such thing (`enabled`, an empty address), nor are the sections of other modes: values files are stacked,
and one of them turns on what another describes.
"""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Expression, Rule, ValuesRef, fmt, for_each_entry

_storage = values.storage
_runs, _fsx, _scratch, _checkpoints = _storage.runs, _storage.fsx, _storage.scratch, _storage.checkpoints.volume


def _needs(key: str, value: Expression, other: str, given: Expression, why: str) -> Rule:
    """A key that does something only where another is set."""
    return Rule(
        broken=value & ~given,
        message=fmt(f"{key} is ", value, f" while {other} is empty: {why}; set {other}, or {key}="),
    )


def _excludes(key: str, value: Expression, other: str, given: Expression, why: str) -> Rule:
    """A key that does nothing where another is set."""
    return Rule(
        broken=value & given,
        message=fmt(f"{key} is ", value, f" while {other} is ", given, f": {why}; set {key}=, or {other}="),
    )


def _path_of_a_volume(name: str, use: ValuesRef) -> Rule:
    key = f"storage.{name}"
    return _needs(f"{key}.path", use.path, f"{key}.volume", use.volume, "it is a folder of that volume")


def _cache_has_a_size(key: Expression, bucket: ValuesRef) -> Rule:
    place = fmt("storage.s3.", key)
    return Rule(
        broken=bucket.cache_storage_class & ~bucket.cache_size,
        message=fmt(
            place,
            ".cacheStorageClass is ",
            bucket.cache_storage_class,
            " while ",
            place,
            ".cacheSize is empty: there is no cache then; set cacheSize, for example to 100Gi, or cacheStorageClass=",
        ),
    )


_OF_FSX = "it belongs to the file system of that id"
_OF_A_CLAIM = "the chart makes no claim then"
_NO_CLAIM = "run folders lie there, and the claim of storage.runs is neither made nor mounted"

RULES = [
    _needs("storage.fsx.dnsName", _fsx.dns_name, "storage.fsx.fileSystemId", _fsx.file_system_id, _OF_FSX),
    _needs("storage.fsx.mountName", _fsx.mount_name, "storage.fsx.fileSystemId", _fsx.file_system_id, _OF_FSX),
    _needs(
        "storage.scratch.storageClassName",
        _scratch.storage_class_name,
        "storage.scratch.size",
        _scratch.size,
        "there is no scratch volume then",
    ),
    for_each_entry(_storage.s3, _cache_has_a_size, key="key", value="bucket"),
    _path_of_a_volume("models", _storage.models),
    _path_of_a_volume("datasets", _storage.datasets),
    _path_of_a_volume("checkpoints", _storage.checkpoints),
    _path_of_a_volume("cache", _storage.cache),
    _excludes(
        "storage.runs.volumeName", _runs.volume_name, "storage.runs.existingClaim", _runs.existing_claim, _OF_A_CLAIM
    ),
    _excludes(
        "storage.runs.existingClaim", _runs.existing_claim, "storage.checkpoints.volume", _checkpoints, _NO_CLAIM
    ),
    _excludes("storage.runs.volumeName", _runs.volume_name, "storage.checkpoints.volume", _checkpoints, _NO_CLAIM),
]
