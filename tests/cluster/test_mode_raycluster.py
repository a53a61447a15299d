"""Mode `raycluster` on a real KubeRay: a job trains on it, and a RayJob of another release after that."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from kubernetes_cluster import CHART, RUNS_CLAIM, Cluster, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

RELEASE = "shared"
HEAD = "ray.io/node-type=head"
SUBMIT = ("exec", "sh", "/opt/rlinf/launch/launch.sh", "submit")
# The oldest operator that the chart works with, which this cluster has.
OPERATOR = ("kuberay.version=1.5", "ray.auth.enabled=false")


def head_of(cluster: Cluster) -> str:
    """The head's pod."""
    [head] = cluster.training_pods(HEAD)
    return head["metadata"]["name"]


def test_the_cluster_forms_and_helm_test_passes(cluster: Cluster, quick_values: list[Path]) -> None:
    """Head and worker are there in a namespace that enforces Pod Security `restricted`."""
    cluster.helm("install", RELEASE, str(CHART), *options(quick_values, "mode=raycluster", *OPERATOR))
    cluster.wait_until("both pods are ready", lambda: len(cluster.ready_pods(RELEASE)) == 2, within_s=240)

    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")


def test_a_submitted_job_trains_on_it(cluster: Cluster) -> None:
    """As NOTES say it, from the head."""
    log = cluster.kubectl("exec", head_of(cluster), "--", "ray", "job", "submit", "--", *SUBMIT, timeout_s=400)

    assert "the run is finished" in log


def test_a_ray_job_of_another_release_trains_on_it(cluster: Cluster, quick_values: list[Path]) -> None:
    """With its own run, on that cluster's pods and claim."""
    on_it = ("mode=rayjob", "rayJob.clusterSelector=shared-rlinf", "rayJob.submissionMode=HTTPMode", *OPERATOR)
    cluster.helm(
        "install", "job", str(CHART), *options(quick_values, *on_it, f"storage.runs.existingClaim={RUNS_CLAIM}")
    )

    def has_ended() -> bool:
        return cluster.get("rayjob", "job-rlinf").get("status", {}).get("jobDeploymentStatus") in ("Complete", "Failed")

    cluster.wait_until("the job has ended", has_ended, within_s=400)
    assert cluster.get("rayjob", "job-rlinf")["status"]["jobStatus"] == "SUCCEEDED"
    assert "finished" in cluster.kubectl("exec", head_of(cluster), "--", "ls", "/runs/job-rlinf")


def test_a_job_saves_before_its_head_goes_away(cluster: Cluster) -> None:
    """The pods' preStop hook stops it and waits; Ray would go down under it."""
    run = json.loads(cluster.get("configmap", "shared-rlinf-launch")["data"]["run.json"])
    run["folder"] = "/runs/long"
    run["engine"]["hydra"]["trainer"]["total_epochs"] = 200
    encoded = base64.b64encode(json.dumps(run).encode()).decode()
    head = head_of(cluster)
    submit = ("ray", "job", "submit", "--no-wait", "--", *SUBMIT, "--run", encoded)

    def read(pod: str, *command: str) -> str:
        return cluster.kubectl("exec", pod, "--", *command, check=False)

    cluster.kubectl("exec", head, "--", *submit)
    cluster.wait_until("it trains", lambda: "train" in read(head, "cat", "/runs/long/status.json"), within_s=200)
    cluster.kubectl("delete", "pod", head)

    cluster.wait_until("the head is back", lambda: len(cluster.ready_pods(RELEASE)) == 2, within_s=120)
    assert "global_step" in read(head_of(cluster), "ls", "/runs/long/checkpoints")


def test_uninstall_leaves_nothing(cluster: Cluster) -> None:
    """Neither of the releases nor of the operator."""
    cluster.helm("uninstall", "job", RELEASE, "--wait")

    cluster.wait_until_empty("rayclusters", "rayjobs")
