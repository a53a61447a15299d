"""Where nodes are checked, and by what kubelet knows that a pod is well."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rendered_objects import objects_of, one, pods_of, refusal_of, run_json, training_container
from rlinf_constructs.helm import HelmChart

MODEL = {"actor_rollout_ref": {"model": {"path": "/models/openvla"}}}
GPU_NODES = {"nodes": {"gpus": 8}, "training": {"engine": "verl", "hydra": MODEL}}


def init_containers(chart: HelmChart, values: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Those of each pod of the release, in the order of the pods."""
    return [
        pod["spec"].get("initContainers", [])
        for name, pod in pods_of(objects_of(chart, values))
        if not name.endswith("-test")
    ]


@pytest.mark.parametrize("mode", ["statefulset", "job"])
def test_the_bootstrap_checks_its_node_itself_where_it_starts_ray(mode: str, chart: HelmChart) -> None:
    """One container, one log and one exit code; and a container that starts again checks again."""
    assert init_containers(chart, {"mode": mode}) == [[]]


@pytest.mark.parametrize("mode", ["raycluster", "rayjob"])
def test_pods_of_kuberay_have_an_init_container_that_checks(mode: str, chart: HelmChart) -> None:
    """With the devices, mounts, variables and security of the container that it goes before."""
    values = {**GPU_NODES, "mode": mode, "kuberay": {"rayVersion": "2.52.0"}}
    ray_pods = [pod["spec"] for _, pod in pods_of(objects_of(chart, values)) if "initContainers" in pod["spec"]]
    assert len(ray_pods) == 2
    for pod in ray_pods:
        [preflight], [ray] = pod["initContainers"], pod["containers"]
        assert [*preflight["command"], *preflight["args"]] == ["sh", "/opt/rlinf/launch/launch.sh", "preflight"]
        for field in ("image", "resources", "volumeMounts", "securityContext"):
            assert preflight[field] == ray[field]
        assert preflight["resources"]["limits"]["nvidia.com/gpu"] == 8


def test_a_head_that_takes_no_ranks_is_not_checked(chart: HelmChart) -> None:
    """It needs nothing that they do."""
    values = {**GPU_NODES, "mode": "raycluster", "kuberay": {"head": {"separate": True}}}
    spec = one(objects_of(chart, values), "RayCluster")["spec"]
    assert "initContainers" not in spec["headGroupSpec"]["template"]["spec"]
    assert "initContainers" in spec["workerGroupSpecs"][0]["template"]["spec"]


def test_checks_can_be_left_out(chart: HelmChart) -> None:
    """All of them, or some by name, which the bootstrap finds in run.json."""
    off = {"mode": "raycluster", "preflight": {"enabled": False}}
    assert init_containers(chart, off) == [[], []]
    run = json.loads(run_json(objects_of(chart, {"preflight": {"skip": ["rendering", "efa"]}})))
    assert run["preflight"] == {"enabled": True, "skip": ["rendering", "efa"]}


def test_a_check_that_does_not_exist_is_refused(chart: HelmChart) -> None:
    """With the names that do."""
    [_, sentence, *_] = refusal_of(chart, {"preflight": {"skip": ["gpu"]}})
    assert sentence.startswith("- at '/preflight/skip/0': value must be one of 'engine', 'configuration', ")


def test_kubelet_asks_a_file_and_starts_no_python(chart: HelmChart) -> None:
    """The same script, with more patience for a pod that runs than for one that starts."""
    container = training_container(objects_of(chart))
    startup, liveness = container["startupProbe"], container["livenessProbe"]
    assert startup["exec"]["command"] == ["sh", "/opt/rlinf/launch/alive.sh", "30"]
    assert liveness["exec"]["command"] == ["sh", "/opt/rlinf/launch/alive.sh", "300"]
    assert container["readinessProbe"]["exec"]["command"] == ["test", "-e", "/tmp/rlinf-ready"]
    assert startup["periodSeconds"] * startup["failureThreshold"] == 300
