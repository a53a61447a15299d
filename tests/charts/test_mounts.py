"""Mounts and volumes of all kinds beside each other: no two at one path or of one name, and none of a volume amiss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rendered_objects import objects_of, pods_of, refusal_of
from rlinf_constructs.helm import HelmChart, yaml_io
from tests_support import BothRenderings

CODE = {"name": "code", "emptyDir": {"sizeLimit": "1Gi"}}
NFS = {"claimName": "nfs", "mountPath": "/nfs"}
BROKEN: list[tuple[dict[str, Any], str]] = [
    (
        {"extraVolumeMounts": [{"name": "code", "mountPath": "/code"}]},
        (
            "extraVolumeMounts.0.name is code, which is no volume of the pods: add it to extraVolumes, or name one of "
            "the chart's, which are launch, tmp, shm and those that storage sets: runs, fsx, scratch, s3-KEY and "
            "claims-KEY"
        ),
    ),
    (
        {
            "extraVolumes": [CODE],
            "extraVolumeMounts": [{"name": "code", "mountPath": "/a"}, {"name": "code", "mountPath": "/a"}],
        },
        (
            "extraVolumeMounts.1.mountPath is /a, where extraVolumeMounts.0 is mounted: choose another path, such as "
            "/extra/a"
        ),
    ),
    (
        {"extraVolumes": [CODE, CODE]},
        (
            "extraVolumes.1.name is code, and so is extraVolumes.0: each volume of a pod has a name of its own; rename "
            "or remove one of them"
        ),
    ),
    (
        {"extraVolumes": [{"name": "code"}]},
        (
            "extraVolumes.0 has, besides its name, 0 keys, and must have one, its source: write it as in "
            "{name: code, persistentVolumeClaim: {claimName: code}}"
        ),
    ),
    (
        {"storage": {"claims": {"nfs": {**NFS, "mountPath": "/tmp"}}}},
        (
            "storage.claims.nfs.mountPath is /tmp, where a volume of the chart is mounted: choose another path, such "
            "as /claims/nfs"
        ),
    ),
    (
        {"storage": {"claims": {"nfs": NFS, "more": NFS}}},
        (
            "storage.claims.nfs.mountPath is /nfs, where storage.claims.more is mounted: choose another path, such as "
            "/claims/nfs"
        ),
    ),
    (
        {"storage": {"runs": {"mountPath": "/dev/shm"}}},
        (
            "storage.runs.mountPath is /dev/shm, where a volume of the chart is mounted: choose another path, such as "
            "/runs"
        ),
    ),
    (
        {"storage": {"s3": {"a": {"bucket": "team-a"}}, "runs": {"mountPath": "/s3/a"}}},
        "storage.runs.mountPath is /s3/a, where a volume of the chart is mounted: choose another path, such as /runs",
    ),
]
ALL_VOLUMES: dict[str, Any] = {
    "storage": {
        "fsx": {"existingClaim": "fsx"},
        "s3": {"a": {"bucket": "team-a"}},
        "claims": {"nfs": NFS},
        "scratch": {"size": "1Gi"},
        "models": {"volume": "s3/a"},
    },
    "extraVolumes": [CODE],
    "extraVolumeMounts": [
        {"name": name, "mountPath": f"/more/{name}"}
        for name in ("launch", "tmp", "shm", "runs", "fsx", "scratch", "s3-a", "claims-nfs", "code")
    ],
}


@pytest.mark.parametrize(("values", "sentence"), BROKEN, ids=lambda it: it.split()[0] if isinstance(it, str) else "")
def test_what_kubernetes_would_not_admit_is_refused(values: dict[str, Any], sentence: str, chart: HelmChart) -> None:
    """Each in one sentence; the controller's events would say it much later."""
    assert refusal_of(chart, values) == [sentence]


def test_helm_refuses_it_in_the_same_words(renderings_agree: BothRenderings, tmp_path: Path) -> None:
    """All loops inside of loops among them."""
    file = tmp_path / "values.yaml"
    for values, _ in BROKEN:
        file.write_text(yaml_io.dump(values), encoding="utf-8")
        assert renderings_agree(values, file) is None


def test_every_volume_can_be_mounted_once_more(chart: HelmChart) -> None:
    """Whether it is the chart's or the user's; and each mount names a volume, at a path of its own."""
    for _, pod in pods_of(objects_of(chart, ALL_VOLUMES)):
        volumes = [volume["name"] for volume in pod["spec"]["volumes"]]
        mounts = pod["spec"]["containers"][0]["volumeMounts"]
        paths = [mount["mountPath"] for mount in mounts]
        assert len(set(volumes)) == len(volumes)
        assert len(set(paths)) == len(paths)
        assert {mount["name"] for mount in mounts} <= set(volumes)
        assert {f"/more/{name}" for name in volumes} <= set(paths)


def test_every_name_of_the_charts_own_volumes_is_taken(chart: HelmChart) -> None:
    """Whatever makes the volume: Kubernetes refuses a pod with two of a name."""
    storage = {
        "fsx": {"existingClaim": "fsx"},
        "scratch": {"size": "1Ti"},
        "s3": {"models": {"bucket": "team-models"}},
        "claims": {"nfs": NFS},
    }
    everything = {"mode": "raycluster", "kuberay": {"autoscaler": {"enabled": True}}, "storage": storage}
    own = {volume["name"] for _, pod in pods_of(objects_of(chart, everything)) for volume in pod["spec"]["volumes"]}

    assert len(own) == 9
    for name in (*own, "ray-logs"):
        [sentence] = refusal_of(chart, {"extraVolumes": [{"name": name, "emptyDir": {}}]})
        assert sentence.startswith(f"extraVolumes.0.name is {name}, and the chart keeps launch, tmp, ")
