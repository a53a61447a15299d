"""Releases beside each other in one namespace, with the longest names and claims of their own, which outlive them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubernetes_cluster import CHART, HOST_CLASS, LONGEST_NAME, Cluster, options
from tests_support import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

# They start alike for longer than the chart's names are.
STATEFUL = "n" * (LONGEST_NAME - 1) + "s"
JOB = "n" * (LONGEST_NAME - 1) + "j"
CLAIM = "storage.runs.existingClaim="


def assignments_of(release: str, cluster: Cluster) -> tuple[str, ...]:
    """A mode each, and a claim that the chart makes on a volume made by hand."""
    mode = "statefulset" if release == STATEFUL else "job"
    volume = f"{cluster.namespace}-{mode}"
    claim = (CLAIM, f"storage.runs.volumeName={volume}", f"storage.runs.storageClassName={HOST_CLASS}")
    return (f"mode={mode}", *claim)


@pytest.fixture(scope="module")
def values(quick_values: list[Path]) -> list[Path]:
    return [*quick_values, ROOT / "tests" / "cluster" / "one-node.yaml"]


def claims(cluster: Cluster) -> list[str]:
    """The claims that the chart made."""
    managed = ("--selector", "app.kubernetes.io/managed-by=Helm", "--output", "name")
    return cluster.kubectl("get", "persistentvolumeclaims", *managed).split()


def head_of(cluster: Cluster, release: str) -> str:
    """The release's only pod."""
    [pod] = cluster.training_pods(f"app.kubernetes.io/instance={release}")
    return pod["metadata"]["name"]


def log_of(cluster: Cluster, release: str) -> str:
    """What it has said."""
    return cluster.kubectl("logs", head_of(cluster, release), check=False)


def test_both_train_and_pass_helm_test(cluster: Cluster, values: list[Path]) -> None:
    """Neither takes the other's pods, claim or token."""
    for mode in ("statefulset", "job"):
        cluster.host_volume(mode, cluster.writable_folder(mode), mode="ReadWriteMany")
    for release in (STATEFUL, JOB):
        cluster.helm("install", release, str(CHART), *options(values, *assignments_of(release, cluster)))

    for release in (STATEFUL, JOB):
        cluster.wait_until(
            "its run is finished", lambda it=release: "the run is finished" in log_of(cluster, it), within_s=240
        )
        assert "Succeeded" in cluster.helm("test", release, "--timeout", "120s")
    assert len(claims(cluster)) == 2


def test_one_stays_when_the_other_is_uninstalled(cluster: Cluster) -> None:
    """The pod of the StatefulSet holds."""
    uid = cluster.pod_uids(STATEFUL)

    cluster.helm("uninstall", JOB, "--wait")

    cluster.wait_until("the other's pod is gone", lambda: not cluster.pod_uids(JOB), within_s=60)
    assert cluster.pod_uids(STATEFUL) == uid
    assert "Succeeded" in cluster.helm("test", STATEFUL, "--timeout", "120s")


def test_only_the_claims_stay_and_a_new_release_finds_its_run_in_them(cluster: Cluster, values: list[Path]) -> None:
    """Helm keeps what `helm.sh/resource-policy` names, and takes it up again."""
    cluster.helm("uninstall", STATEFUL, "--wait")
    cluster.wait_until_only(*claims(cluster))

    cluster.helm("install", STATEFUL, str(CHART), *options(values, *assignments_of(STATEFUL, cluster)))

    cluster.wait_until(
        "the run is found", lambda: "this run is finished already" in log_of(cluster, STATEFUL), within_s=60
    )
    cluster.helm("uninstall", STATEFUL, "--wait")


def test_helm_test_fails_when_the_claim_cannot_be_written(cluster: Cluster, values: list[Path]) -> None:
    """And the head's pod ends with the same sentence."""
    folder = cluster.scratch / "read-only"
    folder.mkdir(mode=0o755)
    cluster.host_claim("read-only", folder, mode="ReadWriteMany")
    cluster.helm("install", "refused", str(CHART), *options(values, f"{CLAIM}read-only", "mode=job"))

    why = cluster.why_helm_test_fails("refused", name="refused-rlinf")

    assert why.startswith("PREFLIGHT: the run folder /runs/refused-rlinf cannot be written to")
    assert "(exit code 11, PREFLIGHT)" in cluster.kubectl("logs", head_of(cluster, "refused"))
