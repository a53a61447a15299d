"""The budget that keeps the pods of a run together."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import objects_of, one, pods_of
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

SELECTED = {
    "mode": "rayjob",
    "rayJob": {"clusterSelector": "other"},
    "storage": {"runs": {"existingClaim": "runs"}},
    "ray": {"auth": {"existingSecret": "token"}},
}


@pytest.mark.parametrize(
    ("values", "pods"),
    [
        ({"nodes": {"count": 4}}, 4),
        ({"mode": "job", "nodes": {"count": 4}}, 4),
        ({"mode": "raycluster", "nodes": {"count": 4}}, 4),
        ({"mode": "rayjob", "nodes": {"count": 4}, "kuberay": {"head": {"separate": True}}}, 5),
        ({"nodes": {"count": 4}, "kuberay": {"head": {"separate": True}}}, 4),
    ],
    ids=["statefulset", "job", "raycluster", "rayjob with a separate head", "statefulset has no separate head"],
)
def test_none_of_the_pods_may_be_evicted(values: dict[str, Any], pods: int, chart: HelmChart) -> None:
    """As many must be available as the run has, by number: Jobs and Ray clusters allow no other way."""
    budget = one(objects_of(chart, values), "PodDisruptionBudget")

    assert budget["spec"]["minAvailable"] == pods
    assert "maxUnavailable" not in budget["spec"]
    assert kubernetes_faults(budget) == []


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_it_counts_the_nodes_and_no_helper(mode: str, chart: HelmChart) -> None:
    """A submitter or test pod that it counted would let a node go."""
    objects = objects_of(chart, {"mode": mode, "nodes": {"count": 2}})
    selector = one(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"]
    owners = [name for name, pod in pods_of(objects) if selector.items() <= pod["metadata"]["labels"].items()]

    # KubeRay's kinds have a template for the head and one for the workers.
    assert len(owners) == (2 if mode.startswith("ray") else 1)


def test_a_broken_pod_does_not_keep_its_node(chart: HelmChart) -> None:
    """Only a healthy one is worth keeping."""
    budget = one(objects_of(chart), "PodDisruptionBudget")
    assert budget["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


@pytest.mark.parametrize("values", [{"podDisruptionBudget": {"enabled": False}}, SELECTED], ids=["off", "no nodes"])
def test_there_is_none_where_nothing_is_to_be_kept(values: dict[str, Any], chart: HelmChart) -> None:
    """When it is turned off, and when the pods are another release's."""
    assert "PodDisruptionBudget" not in {item["kind"] for item in objects_of(chart, values)}


def test_turning_it_off_leaves_a_running_job_alone(chart: HelmChart) -> None:
    """It is how a node is drained."""

    def name(enabled: bool) -> str:
        values = {"mode": "job", "podDisruptionBudget": {"enabled": enabled}}
        return one(objects_of(chart, values), "Job")["metadata"]["name"]

    assert name(True) == name(False)
