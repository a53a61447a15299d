"""Mode `raycluster` on a real KubeRay: a job trains on it, and a RayJob of another release after that."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from kubernetes_cluster import CHART, RUNS_CLAIM, Cluster, KubeRay, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

RELEASE = "shared"
HEAD = "ray.io/node-type=head"
SUBMIT = ("exec", "sh", "/opt/rlinf/launch/launch.sh", "submit")


def head_of(cluster: Cluster) -> str:
    """The head's pod."""
    [head] = cluster.training_pods(HEAD)
    return head["metadata"]["name"]


def test_the_cluster_forms_and_helm_test_passes(cluster: Cluster, quick_values: list[Path], kuberay: KubeRay) -> None:
    """Head and worker are there in a namespace that enforces Pod Security `restricted`."""
    cluster.helm("install", RELEASE, str(CHART), *options(quick_values, "mode=raycluster", *kuberay.values))
    cluster.wait_until("both pods are ready", lambda: len(cluster.ready_pods(RELEASE)) == 2, within_s=240)

    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")


def test_a_submitted_job_trains_on_it(cluster: Cluster) -> None:
    """As NOTES say it, from the head."""
    log = cluster.kubectl("exec", head_of(cluster), "--", "ray", "job", "submit", "--", *SUBMIT, timeout_s=400)

    assert "the run is finished" in log


def test_a_ray_job_of_another_release_trains_on_it(
    cluster: Cluster, quick_values: list[Path], kuberay: KubeRay
) -> None:
    """With its own run, on that cluster's pods and claim."""
    on_it = ("mode=rayjob", "rayJob.clusterSelector=shared-rlinf", "rayJob.submissionMode=HTTPMode")
    there = (f"storage.runs.existingClaim={RUNS_CLAIM}", "ray.auth.existingSecret=shared-rlinf-ray-token")
    cluster.helm("install", "job", str(CHART), *options(quick_values, *on_it, *there, *kuberay.values))

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


def test_helm_test_asks_ray_and_not_kubernetes(cluster: Cluster) -> None:
    """The worker of the lost head is ready all along, and joins the new one by and by."""
    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "180s")


def pods_change(cluster: Cluster, before: dict[str, str], kuberay: KubeRay) -> None:
    """KubeRay 1.7 replaces all pods; 1.5 leaves them alone, as NOTES say."""
    if not kuberay.replaces_pods:
        assert cluster.pod_uids(RELEASE) == before
        return

    def are_new() -> bool:
        return len(cluster.ready_pods(RELEASE)) == 2 and not before.items() & cluster.pod_uids(RELEASE).items()

    cluster.wait_until("both pods are new", are_new, within_s=240)


def test_an_upgrade_replaces_the_pods_where_the_operator_can(
    cluster: Cluster, quick_values: list[Path], kuberay: KubeRay
) -> None:
    """And the notes say where it cannot."""
    before = cluster.pod_uids(RELEASE)

    changed = options(quick_values, "mode=raycluster", "extraEnv.NEW=yes", *kuberay.values)
    notes = cluster.helm("upgrade", RELEASE, str(CHART), *changed)

    assert ("does not replace pods" in notes) != kuberay.replaces_pods
    pods_change(cluster, before, kuberay)


def test_a_rollback_does_likewise(cluster: Cluster, kuberay: KubeRay) -> None:
    """It is an upgrade to what was."""
    before = cluster.pod_uids(RELEASE)

    cluster.helm("rollback", RELEASE, "1")

    pods_change(cluster, before, kuberay)


def test_uninstall_leaves_nothing(cluster: Cluster) -> None:
    """Neither of the releases nor of the operator."""
    cluster.helm("uninstall", "job", RELEASE, "--wait")

    cluster.wait_until_only()
