"""Volumes, and what is kept where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rendered_objects import objects_of, pod_spec, pods_of, refusal_of, run_json, training_container, variables_of
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

FSX = {
    "fileSystemId": "fs-0123456789abcdef0",
    "dnsName": "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com",
    "mountName": "3h2ufbev",
}
NFS = {"claimName": "nfs", "mountPath": "/nfs"}
NOT_ON_S3 = (
    "Mountpoint for S3 cannot append to a file, rename or lock one; use fsx, which can export to S3 by itself, or a "
    "claim of another shared file system"
)


def stored(chart: HelmChart, storage: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of a storage."""
    objects = objects_of(chart, {"storage": storage})
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []
    return objects


def named(objects: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Specs of a kind by name."""
    return {item["metadata"]["name"]: item["spec"] for item in objects if item["kind"] == kind}


def mounts_of(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Mounts of the container that trains, by path, with their volume's source."""
    volumes = {volume["name"]: volume for volume in pod_spec(objects)["volumes"]}
    mounts = training_container(objects)["volumeMounts"]
    return {mount["mountPath"]: {**volumes[mount["name"]], **mount} for mount in mounts}


def run_folder(objects: list[dict[str, Any]]) -> str:
    """The run folder that the bootstrap is told."""
    return json.loads(run_json(objects))["folder"]


def test_without_storage_there_is_the_claim_of_runs(chart: HelmChart) -> None:
    """One claim, mounted at /runs, with a folder of the release's name."""
    objects = stored(chart, {})

    assert named(objects, "PersistentVolumeClaim").keys() == {"rel-rlinf-runs"}
    assert mounts_of(objects).keys() == {"/opt/rlinf/launch", "/tmp", "/dev/shm", "/runs"}
    assert run_folder(objects) == "/runs/rel-rlinf"


def test_a_file_system_that_exists_is_bound_to_this_release(chart: HelmChart) -> None:
    """A PersistentVolume by the file system's id, and a claim, each for the other only."""
    objects = stored(chart, {"fsx": FSX})
    [(name, volume)] = named(objects, "PersistentVolume").items()
    claim = named(objects, "PersistentVolumeClaim")["rel-rlinf-fsx"]

    assert name == "robots.rel-rlinf.fsx"
    assert volume["csi"] == {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": "fs-0123456789abcdef0.robots.rel-rlinf.fsx",
        "volumeAttributes": {"dnsname": FSX["dnsName"], "mountname": "3h2ufbev"},
    }
    assert volume["claimRef"] == {"namespace": "robots", "name": "rel-rlinf-fsx"}
    assert volume["persistentVolumeReclaimPolicy"] == "Retain"
    assert volume["mountOptions"] == ["flock"]
    assert (claim["volumeName"], claim["storageClassName"]) == (name, "")
    assert mounts_of(objects)["/fsx"]["persistentVolumeClaim"] == {"claimName": "rel-rlinf-fsx"}


def test_a_claim_on_fsx_is_taken_as_it_is(chart: HelmChart) -> None:
    """The chart makes nothing for it."""
    objects = stored(chart, {"fsx": {"existingClaim": "mine"}})

    assert not named(objects, "PersistentVolume")
    assert mounts_of(objects)["/fsx"]["persistentVolumeClaim"] == {"claimName": "mine"}


def test_a_new_file_system_outlives_the_release(chart: HelmChart) -> None:
    """Its claim has the StorageClass, and stays."""
    objects = stored(chart, {"fsx": {"storageClassName": "fsx-sc", "size": "2400Gi"}})
    [claim] = [item for item in objects if item["metadata"]["name"] == "rel-rlinf-fsx"]

    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert claim["spec"]["storageClassName"] == "fsx-sc"
    assert claim["spec"]["resources"] == {"requests": {"storage": "2400Gi"}}


def test_each_bucket_is_a_volume_of_its_own(chart: HelmChart) -> None:
    """Handles differ; a bucket is read-only, and its cache optional."""
    buckets = {
        "models": {"bucket": "team-models", "region": "us-east-1", "prefix": "vla/", "cacheSize": "50Gi"},
        "out": {"bucket": "team-out", "writable": True, "credentials": "pod"},
    }
    objects = stored(chart, {"s3": buckets})
    volumes = named(objects, "PersistentVolume")
    models, out = volumes["robots.rel-rlinf.s3-models"], volumes["robots.rel-rlinf.s3-out"]

    assert models["csi"] == {
        "driver": "s3.csi.aws.com",
        "volumeHandle": "robots.rel-rlinf.s3-models",
        "volumeAttributes": {
            "bucketName": "team-models",
            "authenticationSource": "driver",
            "cache": "emptyDir",
            "cacheEmptyDirSizeLimit": "50Gi",
        },
    }
    assert models["accessModes"] == ["ReadOnlyMany"]
    assert models["mountOptions"] == [
        *("region us-east-1", "prefix vla/", "read-only", "allow-other", "uid=1000", "gid=1000")
    ]
    assert out["csi"]["volumeAttributes"] == {"bucketName": "team-out", "authenticationSource": "pod"}
    assert out["mountOptions"] == ["allow-delete", "allow-overwrite", "allow-other", "uid=1000", "gid=1000"]
    assert mounts_of(objects)["/s3/models"]["readOnly"] is True
    assert mounts_of(objects)["/s3/out"]["readOnly"] is False
    assert named(objects, "PersistentVolumeClaim")["rel-rlinf-s3-out"]["volumeName"] == "robots.rel-rlinf.s3-out"


def test_a_cache_can_lie_in_a_volume_of_a_class(chart: HelmChart) -> None:
    """Mountpoint's own pod gets an ephemeral volume."""
    bucket = {"bucket": "team-models", "cacheSize": "50Gi", "cacheStorageClass": "gp3"}
    [volume] = named(stored(chart, {"s3": {"models": bucket}}), "PersistentVolume").values()

    assert volume["csi"]["volumeAttributes"] == {
        "bucketName": "team-models",
        "authenticationSource": "driver",
        "cache": "ephemeral",
        "cacheEphemeralStorageClassName": "gp3",
        "cacheEphemeralStorageResourceRequest": "50Gi",
    }


def test_scratch_is_on_the_node_or_in_an_ephemeral_volume(chart: HelmChart) -> None:
    """By whether a StorageClass is named."""
    on_node = mounts_of(stored(chart, {"scratch": {"size": "1Ti"}}))["/scratch"]
    in_volume = mounts_of(stored(chart, {"scratch": {"size": "1Ti", "storageClassName": "gp3"}}))["/scratch"]

    assert on_node["emptyDir"] == {"sizeLimit": "1Ti"}
    spec = in_volume["ephemeral"]["volumeClaimTemplate"]["spec"]
    assert (spec["storageClassName"], spec["resources"]) == ("gp3", {"requests": {"storage": "1Ti"}})


@pytest.mark.parametrize(
    ("mode", "with_a_disk"),
    [
        ({"mode": "statefulset"}, 1),
        ({"mode": "job"}, 1),
        ({"mode": "raycluster", "nodes": {"count": 2}, "kuberay": {"head": {"separate": True}}}, 1),
        ({"mode": "rayjob", "nodes": {"count": 2}}, 2),
    ],
    ids=["statefulset", "job", "raycluster", "rayjob"],
)
def test_only_nodes_pay_for_scratch(mode: dict[str, Any], with_a_disk: int, chart: HelmChart) -> None:
    """The test, a submitter and a head that only directs have the folder, which variables may name, and no disk."""
    objects = objects_of(chart, {**mode, "storage": {"scratch": {"size": "1Ti", "storageClassName": "gp3"}}})
    pods = [pod["spec"] for _, pod in pods_of(objects)]
    sources = [volume for pod in pods for volume in pod["volumes"] if volume["name"] == "scratch"]

    assert len(sources) == len(pods) > with_a_disk
    assert sum("ephemeral" in source for source in sources) == with_a_disk
    assert all(
        "/scratch" in {mount["mountPath"] for mount in container["volumeMounts"]}
        for pod in pods
        for container in pod["containers"]
    )


def test_moving_models_from_fsx_to_s3_is_one_change(chart: HelmChart) -> None:
    """The path that training sees stays the same."""
    volumes = {"fsx": FSX, "s3": {"models": {"bucket": "team-models"}}}
    on_fsx = mounts_of(stored(chart, {**volumes, "models": {"volume": "fsx", "path": "models/vla"}}))["/models"]
    on_s3 = mounts_of(stored(chart, {**volumes, "models": {"volume": "s3/models"}}))["/models"]

    assert (on_fsx["name"], on_fsx["subPath"], on_fsx["readOnly"]) == ("fsx", "models/vla", True)
    assert (on_s3["name"], "subPath" in on_s3, on_s3["readOnly"]) == ("s3-models", False, True)


def test_checkpoints_and_caches_are_folders_of_a_volume(chart: HelmChart) -> None:
    """The run folder moves there, and the claim of runs is not made."""
    objects = stored(
        chart,
        {
            "claims": {"nfs": NFS},
            "scratch": {"size": "1Ti"},
            "checkpoints": {"volume": "claims/nfs", "path": "team/runs"},
            "cache": {"volume": "scratch"},
        },
    )

    assert run_folder(objects) == "/nfs/team/runs/robots/rel-rlinf"
    assert variables_of(objects)["XDG_CACHE_HOME"] == "/scratch"
    assert "/runs" not in mounts_of(objects)
    assert not named(objects, "PersistentVolumeClaim")


@pytest.mark.parametrize(
    ("storage", "sentence"),
    [
        (
            {"fsx": {**FSX, "existingClaim": "mine"}},
            (
                "storage.fsx has fileSystemId 'fs-0123456789abcdef0', existingClaim 'mine' and storageClassName '', "
                "which are three ways to one file system: keep one of them"
            ),
        ),
        (
            {"fsx": {"fileSystemId": "fs-0123456789abcdef0", "mountName": "fsx"}},
            (
                "storage.fsx.fileSystemId is fs-0123456789abcdef0, but dnsName is '' and mountName is 'fsx': the "
                "driver needs both, and `aws fsx describe-file-systems` prints them"
            ),
        ),
        (
            {"models": {"volume": "fsx"}},
            (
                "storage.models.volume is fsx, but storage.fsx names no file system: set its fileSystemId, "
                "existingClaim or storageClassName"
            ),
        ),
        (
            {"cache": {"volume": "scratch"}},
            "storage.cache.volume is scratch, but storage.scratch.size is empty: set it, for example to 500Gi",
        ),
        (
            {"s3": {"b": {"bucket": "bbb"}, "a": {"bucket": "aaa"}}, "datasets": {"volume": "s3/c"}},
            "storage.datasets.volume is s3/c, but storage.s3 has no c: it has a, b",
        ),
        (
            {"checkpoints": {"volume": "claims/nfs"}},
            "storage.checkpoints.volume is claims/nfs, but storage.claims has no nfs: it has none",
        ),
        (
            {"s3": {"out": {"bucket": "team-out", "writable": True}}, "checkpoints": {"volume": "s3/out"}},
            f"storage.checkpoints.volume is s3/out: {NOT_ON_S3}",
        ),
        (
            {"s3": {"out": {"bucket": "team-out", "writable": True}}, "cache": {"volume": "s3/out"}},
            f"storage.cache.volume is s3/out: {NOT_ON_S3}",
        ),
        (
            {"claims": {"nfs": {**NFS, "readOnly": True}}, "checkpoints": {"volume": "claims/nfs"}},
            (
                "storage.checkpoints.volume is claims/nfs, which is mounted read-only: set "
                "storage.claims.nfs.readOnly=false, or name another volume"
            ),
        ),
        (
            {"scratch": {"size": "1Ti"}, "checkpoints": {"volume": "scratch"}},
            (
                "storage.checkpoints.volume is scratch, which comes and goes with a pod: no other pod sees what is in "
                "it; use fsx or claims/KEY"
            ),
        ),
        (
            {"fsx": FSX, "runs": {"existingClaim": "fsx", "mountPath": "/fsx"}},
            (
                "storage.runs.mountPath is /fsx, where storage.fsx is mounted: choose another path, or let "
                "storage.checkpoints name a volume for the run folder"
            ),
        ),
        (
            {"scratch": {"size": "1Ti"}, "models": {"volume": "scratch"}},
            (
                "storage.models.volume is scratch, which comes and goes with a pod: it is empty at first; use fsx, "
                "s3/KEY or claims/KEY"
            ),
        ),
    ],
)
def test_rules_name_key_value_and_remedy(storage: dict[str, Any], sentence: str, chart: HelmChart) -> None:
    """Each rule's whole sentence."""
    assert refusal_of(chart, {"storage": storage}) == [sentence]


def test_a_key_of_a_volume_is_a_short_name(chart: HelmChart) -> None:
    """It becomes part of the names of objects."""
    sentences = refusal_of(chart, {"storage": {"s3": {"My_Models": {"bucket": "team-models"}}}})
    assert "- at '/storage/s3': additional properties 'My_Models' not allowed" in sentences
