"""Where the pods beside the nodes run: a RayJob's submitter and the pod of `helm test`."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import named, objects_of, one, pods_of
from rlinf_constructs.helm import HelmChart

READ_WRITE_ONCE = {"storage": {"runs": {"accessMode": "ReadWriteOnce"}}}
EXISTING_CLAIM = {"storage": {"runs": {"existingClaim": "runs"}}}
OTHER_CLAIM = {"storage": {"claims": {"code": {"claimName": "code", "mountPath": "/code"}}}}
EXTRA_VOLUME = {"extraVolumes": [{"name": "code", "persistentVolumeClaim": {"claimName": "code"}}]}
ON_CLUSTER = {
    "mode": "rayjob",
    "rayJob": {"clusterSelector": "shared"},
    "ray": {"auth": {"existingSecret": "token"}},
    **EXISTING_CLAIM,
}
RELEASE = {"app.kubernetes.io/name": "rlinf", "app.kubernetes.io/instance": "rel"}


def pods_beside(chart: HelmChart, values: dict[str, Any]) -> list[dict[str, Any]]:
    """The pod of the test, and the submitter where there is one."""
    objects = objects_of(chart, values)
    job = [item["spec"] for item in objects if item["kind"] == "RayJob"]
    return [named(objects, "Pod", "rel-rlinf-test"), *(it["submitterPodTemplate"] for it in job)]


def beside(labels: dict[str, str]) -> dict[str, Any]:
    """The affinity to pods with these labels."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
@pytest.mark.parametrize(
    "values",
    [READ_WRITE_ONCE, EXISTING_CLAIM, OTHER_CLAIM, EXTRA_VOLUME],
    ids=["ReadWriteOnce", "existing claim", "another claim", "extra volume"],
)
def test_pods_that_share_a_claim_of_one_machine_share_the_machine(
    mode: str, values: dict[str, Any], chart: HelmChart
) -> None:
    """Elsewhere the volume could not be attached, and they would hang in ContainerCreating."""
    pods = pods_beside(chart, {"mode": mode, **values})

    assert len(pods) == (2 if mode == "rayjob" else 1)
    assert [pod["spec"]["affinity"] for pod in pods] == [beside(RELEASE)] * len(pods)


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_they_look_for_labels_that_the_nodes_have_and_they_themselves(mode: str, chart: HelmChart) -> None:
    """So Kubernetes lets them go anywhere once the run has ended and its volume is free."""
    objects = objects_of(chart, {"mode": mode, **READ_WRITE_ONCE})

    for name, pod in pods_of(objects):
        assert pod["metadata"]["labels"].items() >= RELEASE.items(), name


def test_on_a_cluster_that_is_there_they_look_for_its_pods(chart: HelmChart) -> None:
    """Which are another release's."""
    assert [pod["spec"]["affinity"] for pod in pods_beside(chart, ON_CLUSTER)] == [
        beside({"ray.io/cluster": "shared"})
    ] * 2


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"storage": {"s3": {"models": {"bucket": "models"}}, "scratch": {"size": "1Ti"}}},
        {"nodes": {"count": 2}, **EXISTING_CLAIM},
        {"nodes": {"count": 2}, **OTHER_CLAIM},
        {"kuberay": {"head": {"separate": True}}, **EXISTING_CLAIM},
        {"extraVolumes": [{"name": "code", "emptyDir": {}}]},
    ],
    ids=["ReadWriteMany", "buckets", "two nodes", "two nodes and a claim", "separate head", "no claim"],
)
def test_otherwise_they_run_anywhere(values: dict[str, Any], chart: HelmChart) -> None:
    """A node that is full of training has no room for them, and what several pods share all can mount."""
    assert [pod["spec"].get("affinity") for pod in pods_beside(chart, {"mode": "rayjob", **values})] == [None, None]


def test_the_nodes_themselves_have_no_such_rule(chart: HelmChart) -> None:
    """The first of them would wait for itself."""
    head = one(objects_of(chart, {"mode": "raycluster", **READ_WRITE_ONCE}), "RayCluster")["spec"]["headGroupSpec"]

    assert "affinity" not in head["template"]["spec"]
