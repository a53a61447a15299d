"""Mode `rayjob` on a real KubeRay: a job trains on a cluster of its own, which goes away with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubernetes_cluster import CHART, LONGEST_NAME, Cluster, KubeRay, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

# The operator derives names from the RayJob's, and Kubernetes takes no pod's name beyond 63 characters.
RELEASE = "own-" + "n" * (LONGEST_NAME - 4)


def ray_job_of(cluster: Cluster) -> dict[str, Any]:
    """The release's only RayJob."""
    [job] = cluster.get("rayjobs")["items"]
    return job


def status_of(cluster: Cluster) -> dict[str, Any]:
    """What the operator says of the RayJob."""
    return ray_job_of(cluster).get("status", {})


@pytest.fixture(scope="module")
def mode(kuberay: KubeRay) -> tuple[str, ...]:
    return ("mode=rayjob", *kuberay.values)


def test_the_cluster_forms_and_helm_test_passes(
    cluster: Cluster, quick_values: list[Path], mode: tuple[str, ...]
) -> None:
    """In a namespace that enforces Pod Security `restricted`, for a release with the longest name."""
    cluster.helm("install", RELEASE, str(CHART), *options(quick_values, *mode))
    cluster.wait_until("both pods are ready", lambda: len(cluster.ready_pods(RELEASE)) == 2, within_s=240)

    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")


def test_a_running_job_does_not_roll(cluster: Cluster, quick_values: list[Path], mode: tuple[str, ...]) -> None:
    """An upgrade with other values leaves its pods alone, and so does the rollback."""
    before = cluster.pod_uids(RELEASE)

    cluster.helm("upgrade", RELEASE, str(CHART), *options(quick_values, *mode, "extraEnv.NEW=yes"))
    cluster.helm("rollback", RELEASE, "1")

    cluster.wait_until("the job has a log", lambda: "attempt 1" in _log(cluster), within_s=120)
    assert cluster.pod_uids(RELEASE).items() <= before.items()


def test_it_succeeds_and_its_cluster_goes_away(cluster: Cluster) -> None:
    """The submitter's log is the training's."""
    cluster.wait_until(
        "it is complete", lambda: status_of(cluster).get("jobDeploymentStatus") == "Complete", within_s=400
    )

    assert status_of(cluster)["jobStatus"] == "SUCCEEDED"
    assert "the run is finished" in _log(cluster)
    cluster.wait_until("its pods are gone", lambda: cluster.training_pods() == [], within_s=120)


def test_uninstall_leaves_nothing_but_the_token(cluster: Cluster) -> None:
    """Neither of the release nor of the operator, which may still need it."""
    token = cluster.kubectl("get", "secrets", "--field-selector", "type=Opaque", "--output", "name").split()

    cluster.helm("uninstall", RELEASE, "--wait")

    cluster.wait_until_only(*token)


def test_a_lost_head_costs_the_steps_since_the_last_checkpoint(
    cluster: Cluster, quick_values: list[Path], mode: tuple[str, ...]
) -> None:
    """KubeRay 1.7 makes another head, and the submitter submits again; 1.5 a fresh cluster, for backoffLimit."""
    long = ("training.hydra.trainer.total_epochs=8", "training.hydra.trainer.save_freq=2", "rayJob.backoffLimit=1")
    cluster.helm("install", "lost", str(CHART), *options(quick_values, *mode, *long))
    folder = cluster.scratch / "runs" / "lost-rlinf"
    cluster.wait_until("a checkpoint is there", (folder / "checkpoints" / "global_step_2").exists, within_s=300)
    before = _metrics(folder)
    [head] = cluster.training_pods("ray.io/node-type=head")

    cluster.kubectl("delete", "pod", head["metadata"]["name"], "--grace-period=0", "--force")

    cluster.wait_until(
        "it has ended", lambda: status_of(cluster).get("jobDeploymentStatus") in ("Complete", "Failed"), within_s=400
    )
    assert status_of(cluster)["jobStatus"] == "SUCCEEDED"
    after = _metrics(folder)
    assert (after[0], after[-1]["step"]) == (before[0], 8)
    cluster.helm("uninstall", "lost", "--wait")


def _metrics(folder: Path) -> list[dict[str, Any]]:
    """A row a step; with its times, so that one that was done again looks otherwise."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines() if line.endswith("}")]
    return [row for row in rows if row["step"] > 0]


def _log(cluster: Cluster) -> str:
    return cluster.kubectl("logs", f"job/{ray_job_of(cluster)['metadata']['name']}", check=False)
