"""Metrics for Prometheus."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rendered_objects import objects_of, one, pods_of, refusal_of, run_json
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

MONITORED: dict[str, Any] = {"podMonitor": {"enabled": True, "labels": {"release": "prometheus"}}}


def test_by_default_there_is_no_trace_of_prometheus(chart: HelmChart) -> None:
    """A cluster without the operator's CRDs would refuse the release."""
    assert "PodMonitor" not in {item["kind"] for item in objects_of(chart)}


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_the_nodes_are_scraped_at_their_named_port(mode: str, chart: HelmChart) -> None:
    """By labels that all nodes have and no helper has; the CRD's own schema takes it."""
    objects = objects_of(chart, {"mode": mode, "nodes": {"count": 2}, **MONITORED})
    monitor = one(objects, "PodMonitor")
    selector = monitor["spec"]["selector"]["matchLabels"].items()
    [endpoint] = monitor["spec"]["podMetricsEndpoints"]

    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert kubernetes_faults(monitor) == []
    nodes = [pod for _, pod in pods_of(objects) if selector <= pod["metadata"]["labels"].items()]
    assert nodes
    for pod in nodes:
        [trainer] = pod["spec"]["containers"]
        assert {"name": endpoint["port"], "containerPort": 8080} in trainer["ports"]


def test_the_bootstrap_starts_ray_with_the_port(chart: HelmChart) -> None:
    """In the modes without an operator."""
    objects = objects_of(chart, {"ray": {"metricsPort": 9090}})
    assert json.loads(run_json(objects))["ray"]["metrics_port"] == 9090


def test_kuberay_starts_ray_with_the_port(chart: HelmChart) -> None:
    """Head and workers alike; its own default would be another one."""
    objects = objects_of(chart, {"mode": "raycluster", "nodes": {"count": 2}, "ray": {"metricsPort": 9090}})
    spec = one(objects, "RayCluster")["spec"]

    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        assert group["rayStartParams"]["metrics-export-port"] == "9090"


def test_the_network_policy_lets_prometheus_in(chart: HelmChart) -> None:
    """To the port of the metrics only, and only when they are scraped."""
    rule = {"ports": [{"port": 8080, "protocol": "TCP"}]}

    assert rule in one(objects_of(chart, MONITORED), "NetworkPolicy")["spec"]["ingress"]
    assert rule not in one(objects_of(chart), "NetworkPolicy")["spec"]["ingress"]


def test_a_label_of_the_chart_is_refused(chart: HelmChart) -> None:
    """It would be there twice."""
    values = {"podMonitor": {"labels": {"team": "arm"}}, "commonLabels": {"team": "leg"}}
    assert refusal_of(chart, values) == [
        "podMonitor.labels has team, which all objects have already: remove it, or take another label"
    ]
