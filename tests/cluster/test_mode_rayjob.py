"""Mode `rayjob` on a real KubeRay: a job trains on a cluster of its own, which goes away with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubernetes_cluster import CHART, Cluster, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

RELEASE = "own"
NAME = "own-rlinf"
# The oldest operator that the chart works with, which this cluster has.
MODE = ("mode=rayjob", "kuberay.version=1.5", "ray.auth.enabled=false")


def status_of(cluster: Cluster) -> dict[str, Any]:
    """What the operator says of the RayJob."""
    return cluster.get("rayjob", NAME).get("status", {})


def test_the_cluster_forms_and_helm_test_passes(cluster: Cluster, quick_values: list[Path]) -> None:
    """In a namespace that enforces Pod Security `restricted`."""
    cluster.helm("install", RELEASE, str(CHART), *options(quick_values, *MODE))
    cluster.wait_until("both pods are ready", lambda: len(cluster.ready_pods(RELEASE)) == 2, within_s=240)

    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")


def test_a_running_job_does_not_roll(cluster: Cluster, quick_values: list[Path]) -> None:
    """An upgrade with other values leaves its pods alone."""
    before = cluster.pod_uids(RELEASE)

    cluster.helm("upgrade", RELEASE, str(CHART), *options(quick_values, *MODE, "extraEnv.NEW=yes"))

    cluster.wait_until("the job has a log", lambda: "attempt 1" in _log(cluster), within_s=120)
    assert cluster.pod_uids(RELEASE) == before


def test_it_succeeds_and_its_cluster_goes_away(cluster: Cluster) -> None:
    """The submitter's log is the training's."""
    cluster.wait_until(
        "it is complete", lambda: status_of(cluster).get("jobDeploymentStatus") == "Complete", within_s=400
    )

    assert status_of(cluster)["jobStatus"] == "SUCCEEDED"
    assert "the run is finished" in _log(cluster)
    cluster.wait_until("its pods are gone", lambda: cluster.training_pods() == [], within_s=120)


def test_uninstall_leaves_nothing(cluster: Cluster) -> None:
    """Neither of the release nor of the operator."""
    cluster.helm("uninstall", RELEASE, "--wait")

    cluster.wait_until_empty("rayclusters", "rayjobs")


def _log(cluster: Cluster) -> str:
    return cluster.kubectl("logs", f"job/{NAME}", check=False)
