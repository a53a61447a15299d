"""Mode `job` on a real cluster: it trains, succeeds with its head, and makes another Job for other values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubernetes_cluster import CHART, Cluster, options, run
from rlinf_constructs.helm import yaml_io

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

RELEASE = "once"
MODE = ("mode=job", "job.backoffLimit=1")
SIDECAR = "shipper"
INDEX = "batch.kubernetes.io/job-completion-index"


@pytest.fixture(scope="module")
def with_sidecar(cluster: Cluster, quick_values: list[Path]) -> list[Path]:
    """A container of the same image beside the trainer, which works until it is told to stop."""
    rendered = yaml_io.load_all(run(["helm", "template", RELEASE, str(CHART), *options(quick_values, *MODE)]))
    [job] = (item for item in rendered if item["kind"] == "Job")
    [trainer] = job["spec"]["template"]["spec"]["containers"]
    work = "trap 'exit 0' TERM; while :; do sleep 1; done"
    sidecar = {"name": SIDECAR, **{key: trainer[key] for key in ("image", "imagePullPolicy")}}
    file = cluster.scratch / "sidecar.yaml"
    file.write_text(yaml_io.dump({"sidecars": [{**sidecar, "command": ["sh", "-c", work]}]}))
    return [*quick_values, file]


def job_of(cluster: Cluster) -> dict[str, Any]:
    """The release's only Job."""
    [job] = cluster.get("jobs")["items"]
    return job


def condition_of(cluster: Cluster) -> str:
    """How the Job ended, if it has."""
    held = [it["type"] for it in job_of(cluster)["status"].get("conditions", []) if it["status"] == "True"]
    return next((name for name in held if name in ("Complete", "Failed")), "")


def test_the_cluster_forms_and_helm_test_passes(cluster: Cluster, with_sidecar: list[Path]) -> None:
    """Both pods are there in a namespace that enforces Pod Security `restricted`, a sidecar in each."""
    cluster.helm("install", RELEASE, str(CHART), *options(with_sidecar, *MODE))

    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "180s")


def test_the_job_succeeds_when_the_training_is_done(cluster: Cluster) -> None:
    """Index 0 decides, and the sidecars end with their pods."""
    cluster.wait_until("the Job has ended", lambda: condition_of(cluster), within_s=400)

    assert condition_of(cluster) == "Complete"
    [head] = cluster.training_pods(f"{INDEX}=0")
    [sidecar] = head["status"]["initContainerStatuses"]
    assert sidecar["name"] == SIDECAR
    assert "terminated" in sidecar["state"]
    assert "the run is finished" in cluster.kubectl("logs", head["metadata"]["name"])


def test_a_wrong_configuration_fails_the_job_at_once(cluster: Cluster, quick_values: list[Path]) -> None:
    """An upgrade makes another Job, whose first exit code 10 is its last."""
    before = job_of(cluster)["metadata"]["name"]
    # Of this engine's keys the chart knows none.
    engine = ("training.engine=rlinf", "training.code=/workspace", "training.rlinf.configName=libero_10")

    cluster.helm("upgrade", RELEASE, str(CHART), *options(quick_values, *MODE, *engine, "training.hydra.a b=1"))

    cluster.wait_until("the new Job has ended", lambda: condition_of(cluster) == "Failed", within_s=120)
    assert job_of(cluster)["metadata"]["name"] != before
    assert job_of(cluster)["status"]["conditions"][0]["reason"] == "PodFailurePolicy"


def test_a_rollback_makes_the_first_job_again_which_has_nothing_left_to_do(cluster: Cluster) -> None:
    """The same values give the same Job, and its run is finished."""
    cluster.helm("rollback", RELEASE, "1")

    cluster.wait_until("the first Job is back and ends", lambda: condition_of(cluster) == "Complete", within_s=120)
    [head] = cluster.training_pods(f"{INDEX}=0")
    assert "finished already" in cluster.kubectl("logs", head["metadata"]["name"])


def test_uninstall_leaves_nothing(cluster: Cluster) -> None:
    """No object of the release remains."""
    cluster.helm("uninstall", RELEASE, "--wait")

    cluster.wait_until_only()
