"""Mode `rayjob` with submissionMode SidecarMode: the operator adds a container to the head, which submits the job."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kubernetes_cluster import CHART, Cluster, KubeRay, options
from tests_support import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

SIDECAR = ("mode=rayjob", "rayJob.submissionMode=SidecarMode", "rayJob.shutdownAfterJobFinishes=false")


@pytest.fixture
def image() -> tuple[str, ...]:
    """An image that has Ray itself: the sidecar sees none of the volumes from which this machine's pods take it."""
    if os.environ.get("RLINF_E2E_VALUES"):
        return ()
    name = os.environ.get("RLINF_E2E_RAY_IMAGE", "")
    if not name:
        pytest.skip("name an image with `ray` on its PATH in RLINF_E2E_RAY_IMAGE, as in localhost/rlinf-ray:dev")
    repository, _, tag = name.rpartition(":")
    return (f"image.repository={repository}", f"image.tag={tag}")


def test_the_sidecar_submits_and_its_log_is_the_trainings(
    cluster: Cluster, quick_values: list[Path], kuberay: KubeRay, image: tuple[str, ...]
) -> None:
    """In a namespace that enforces `baseline`, for the operator gives it no security context."""
    cluster.create_namespace(enforce="baseline")
    values = [*quick_values, ROOT / "tests" / "cluster" / "one-node.yaml"]

    cluster.helm("install", "aside", str(CHART), *options(values, *SIDECAR, *kuberay.values, *image))

    def has_ended() -> bool:
        status = cluster.get("rayjob", "aside-rlinf").get("status", {})
        return status.get("jobDeploymentStatus") in ("Complete", "Failed")

    cluster.wait_until("the job has ended", has_ended, within_s=300)
    [head] = cluster.training_pods("ray.io/node-type=head")
    log = cluster.kubectl("logs", head["metadata"]["name"], "--container", "ray-job-submitter")
    assert "the run is finished" in log
    assert cluster.get("rayjob", "aside-rlinf")["status"]["jobStatus"] == "SUCCEEDED"
    cluster.helm("uninstall", "aside", "--wait")
