"""Which nodes the pods get."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import objects_of, pod_spec, pods_of, refusal_of
from rlinf_constructs.helm import HelmChart

WHOLE_NODES = {"instance": {"type": "p5.48xlarge"}}
SELECTOR = {
    "app.kubernetes.io/name": "rlinf",
    "app.kubernetes.io/instance": "rel",
    "app.kubernetes.io/component": "training",
}


def scheduled(chart: HelmChart, values: dict[str, Any]) -> dict[str, Any]:
    """The spec of the training pods."""
    return pod_spec(objects_of(chart, values))


@pytest.mark.parametrize(
    ("values", "is_apart"),
    [
        ({}, False),
        (WHOLE_NODES, True),
        ({**WHOLE_NODES, "nodes": {"gpus": 4}}, False),
        ({**WHOLE_NODES, "scheduling": {"onePodPerNode": "never"}}, False),
        ({"scheduling": {"onePodPerNode": "always"}}, True),
    ],
    ids=["no type", "whole nodes", "half a node", "never", "always"],
)
def test_pods_that_take_whole_nodes_keep_apart(values: dict[str, Any], is_apart: bool, chart: HelmChart) -> None:
    """By anti-affinity, which the user can turn on and off."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": SELECTOR}}
    wanted = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}

    assert scheduled(chart, values).get("affinity", {}) == (wanted if is_apart else {})


@pytest.mark.parametrize(
    ("values", "is_kept"),
    [
        (WHOLE_NODES, False),
        ({**WHOLE_NODES, "nodes": {"count": 2}}, True),
        ({**WHOLE_NODES, "nodes": {"count": 2}, "efa": {"enabled": False}}, False),
        ({**WHOLE_NODES, "nodes": {"count": 2}, "scheduling": {"oneZone": "never"}}, False),
        ({"nodes": {"count": 2}}, False),
        ({"nodes": {"count": 2}, "scheduling": {"oneZone": "always"}}, True),
    ],
    ids=["one node", "EFA", "EFA off", "never", "no type", "always"],
)
def test_nodes_that_efa_connects_are_in_one_zone(values: dict[str, Any], is_kept: bool, chart: HelmChart) -> None:
    """It does not reach beyond; the first pod chooses the zone."""
    term = {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": SELECTOR}}
    wanted = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}

    affinity = scheduled(chart, values).get("affinity", {})
    assert affinity.get("podAffinity", {}) == (wanted if is_kept else {})


@pytest.mark.parametrize("mode", ["raycluster", "rayjob"])
def test_a_head_beside_the_nodes_may_be_in_another_zone(mode: str, chart: HelmChart) -> None:
    """Neither is it bound to them, nor do they follow it."""
    values = {**WHOLE_NODES, "nodes": {"count": 2}, "mode": mode, "kuberay": {"head": {"separate": True}}}
    pods = [pod for name, pod in pods_of(objects_of(chart, values)) if name == "rel-rlinf"]
    head, *workers = [
        pod["spec"].get("affinity", {}) for pod in pods if "livenessProbe" in pod["spec"]["containers"][0]
    ]

    assert head == {}
    for affinity in workers:
        [term] = affinity["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert term["labelSelector"]["matchLabels"] == {**SELECTOR, "ray.io/group": "workers"}


def test_several_nodes_can_be_near_to_each_other(chart: HelmChart) -> None:
    """The nearest switch counts most; a single node is near to itself."""
    nearby = {"scheduling": {"preferNearbyNodes": True}}
    affinity = scheduled(chart, {**nearby, "nodes": {"count": 2}})["affinity"]["podAffinity"]
    terms = affinity["preferredDuringSchedulingIgnoredDuringExecution"]

    assert [(term["podAffinityTerm"]["topologyKey"], term["weight"]) for term in terms] == [
        ("topology.k8s.aws/network-node-layer-3", 100),
        ("topology.k8s.aws/network-node-layer-2", 50),
        ("topology.k8s.aws/network-node-layer-1", 10),
    ]
    assert "affinity" not in scheduled(chart, nearby)


def test_the_user_adds_to_what_follows_from_the_type(chart: HelmChart) -> None:
    """Tolerations and labels are added; an affinity of the same kind replaces ours."""
    mine = {"key": "team", "operator": "Equal", "value": "arm"}
    pod = scheduled(
        chart,
        {
            **WHOLE_NODES,
            "scheduling": {
                "tolerations": [mine],
                "nodeSelector": {"zone": "a"},
                "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
                "priorityClassName": "high",
                "schedulerName": "other",
                "runtimeClassName": "nvidia",
                "topologySpreadConstraints": [
                    {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}
                ],
            },
        },
    )

    assert [item["key"] for item in pod["tolerations"]] == ["nvidia.com/gpu", "team"]
    assert pod["nodeSelector"] == {"node.kubernetes.io/instance-type": "p5.48xlarge", "zone": "a"}
    assert pod["affinity"] == {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
    assert pod["priorityClassName"] == "high"
    assert pod["schedulerName"] == "other"
    assert pod["runtimeClassName"] == "nvidia"
    assert pod["topologySpreadConstraints"][0]["maxSkew"] == 1


def test_the_test_pod_runs_beside_the_nodes(chart: HelmChart) -> None:
    """It may share a node with a training pod, and the taint of GPU nodes does not keep it out."""
    [pod] = [item for item in objects_of(chart, WHOLE_NODES) if item["kind"] == "Pod"]

    assert "affinity" not in pod["spec"]
    assert pod["spec"]["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def test_a_queue_of_kueue_is_a_label_of_the_workload(chart: HelmChart) -> None:
    """Kueue holds the object back until all its pods have room; its pods carry no trace."""
    [item] = [
        item for item in objects_of(chart, {"scheduling": {"kueueQueue": "gpu"}}) if item["kind"] == "StatefulSet"
    ]

    assert item["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "gpu"
    assert "kueue.x-k8s.io/queue-name" not in item["spec"]["template"]["metadata"]["labels"]


def test_a_queue_of_volcano_makes_a_gang(chart: HelmChart) -> None:
    """A PodGroup of all nodes, to which the pods belong by an annotation, under Volcano's scheduler."""
    objects = objects_of(chart, {"scheduling": {"volcanoQueue": "gpu"}, "nodes": {"count": 4}})
    [group] = [item for item in objects if item["kind"] == "PodGroup"]
    [item] = [item for item in objects if item["kind"] == "StatefulSet"]

    assert group["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert group["spec"] == {"queue": "gpu", "minMember": 4}
    annotations = item["spec"]["template"]["metadata"]["annotations"]
    assert annotations["scheduling.k8s.io/group-name"] == group["metadata"]["name"]
    assert pod_spec(objects)["schedulerName"] == "volcano"


def test_the_gang_has_the_priority_of_its_pods(chart: HelmChart) -> None:
    """Volcano compares groups by the class that they name themselves, and not by that of their pods."""
    objects = objects_of(chart, {"scheduling": {"volcanoQueue": "gpu", "priorityClassName": "high"}})
    [group] = [item for item in objects if item["kind"] == "PodGroup"]

    assert group["spec"]["priorityClassName"] == pod_spec(objects)["priorityClassName"] == "high"


def test_a_head_beside_the_nodes_belongs_to_the_gang(chart: HelmChart) -> None:
    """Volcano would otherwise start the pods when there is room for all but one."""
    for mode, head, members in (
        ("raycluster", {"separate": True}, 5),
        ("rayjob", {"separate": True}, 5),
        ("rayjob", {"separate": False}, 4),
        ("job", {"separate": True}, 4),
    ):
        chosen = {"mode": mode, "scheduling": {"volcanoQueue": "gpu"}, "nodes": {"count": 4}}
        [group] = [
            item for item in objects_of(chart, {**chosen, "kuberay": {"head": head}}) if item["kind"] == "PodGroup"
        ]
        assert group["spec"]["minMember"] == members


@pytest.mark.parametrize(("mode", "kind"), [("raycluster", "RayCluster"), ("rayjob", "RayJob")])
def test_the_operators_own_scheduler_is_told_by_labels(mode: str, kind: str, chart: HelmChart) -> None:
    """KubeRay reads them from its object and hands the pods to that scheduler."""
    queue = {"yunikorn.apache.org/queue": "root.robots", "ray.io/gang-scheduling-enabled": "true"}
    objects = objects_of(chart, {"mode": mode, "commonLabels": queue})
    cluster = next(it for it in objects if it["kind"] == kind)

    assert queue.items() <= cluster["metadata"]["labels"].items()


def test_a_queue_gives_its_place_to_a_cluster_that_goes_away(chart: HelmChart) -> None:
    """Kueue's webhook refuses the other, and a job on another release's cluster has no pods of its own."""
    kueue = {"mode": "rayjob", "scheduling": {"kueueQueue": "gpu"}}
    assert refusal_of(chart, {**kueue, "rayJob": {"shutdownAfterJobFinishes": False}}) == [
        (
            "rayJob.shutdownAfterJobFinishes is false while scheduling.kueueQueue is gpu: a cluster that stays would "
            "keep what the queue gave to the job, so Kueue refuses it; set rayJob.shutdownAfterJobFinishes=true, or "
            "scheduling.kueueQueue="
        )
    ]
    there = {
        "rayJob": {"clusterSelector": "shared"},
        "ray": {"auth": {"existingSecret": "token"}},
        "storage": {"runs": {"existingClaim": "runs"}},
    }
    for key in ("kueueQueue", "volcanoQueue"):
        assert refusal_of(chart, {**there, "mode": "rayjob", "scheduling": {key: "gpu"}}) == [
            (
                f"scheduling.{key} is gpu while rayJob.clusterSelector is shared: that cluster's pods are there "
                f"already, and its own release waits in a queue for them; set scheduling.{key}=, or "
                "rayJob.clusterSelector="
            )
        ]


def test_without_a_queue_there_is_no_trace_of_one(chart: HelmChart) -> None:
    """Neither kind of queue is on by default."""
    objects = objects_of(chart)
    assert "PodGroup" not in {item["kind"] for item in objects}
    assert "schedulerName" not in pod_spec(objects)


def test_a_run_waits_in_one_queue(chart: HelmChart) -> None:
    """Kueue and Volcano would each wait for the other."""
    assert refusal_of(chart, {"scheduling": {"kueueQueue": "a", "volcanoQueue": "b"}}) == [
        "scheduling.kueueQueue is a and scheduling.volcanoQueue is b: a run waits in one queue only; keep one of them"
    ]
