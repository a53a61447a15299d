"""The life of a release on a real cluster: install, train, lose a pod, finish, upgrade, roll back, uninstall.

The tests of this module run in the order of the file and hand the release on to each other: a run takes minutes.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from kubernetes_cluster import CHART, Cluster, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

RELEASE = "smoke"
NAME = "smoke-rlinf"
PODS = {f"{NAME}-0", f"{NAME}-1"}


class Run:
    """The run folder, as a pod sees it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def read(self, file: str) -> str:
        """A file's text, empty when it is not there (yet)."""
        return self._cluster.kubectl("exec", f"{NAME}-0", "--", "cat", f"/runs/{NAME}/{file}", check=False)

    def metrics(self) -> list[dict[str, Any]]:
        """The metrics so far."""
        return [json.loads(line) for line in self.read("metrics.jsonl").splitlines() if line.endswith("}")]

    def step(self) -> int:
        """The newest step."""
        return max((row["step"] for row in self.metrics()), default=-1)

    def is_finished(self) -> bool:
        """Whether the marker of a finished run is there."""
        return "digest" in self.read("finished.json")

    def success_rates(self) -> list[float]:
        """Validated success rates, in order."""
        return [row["val/success_rate"] for row in self.metrics() if "val/success_rate" in row]


@pytest.fixture(scope="module")
def run(cluster: Cluster) -> Run:
    return Run(cluster)


def test_install_makes_both_pods_ready(cluster: Cluster, values: list[Path]) -> None:
    """The Ray cluster forms in a namespace that enforces Pod Security `restricted`."""
    cluster.helm("install", RELEASE, str(CHART), *options(values))

    cluster.wait_until("both pods are ready", lambda: cluster.ready_pods(RELEASE) == PODS, within_s=240)


def test_helm_test_passes(cluster: Cluster) -> None:
    """The chart's own test sees the cluster and the run folder."""
    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")


def test_helm_test_fails_when_the_token_is_not_the_heads(cluster: Cluster) -> None:
    """As after somebody changed the Secret: pods that start from now on could not join."""
    secret = f"{NAME}-ray-token"
    token = cluster.get("secret", secret)["data"]["auth_token"]

    def set_token(encoded: str) -> None:
        cluster.kubectl("patch", "secret", secret, "--patch", json.dumps({"data": {"auth_token": encoded}}))

    set_token(base64.b64encode(b"f" * 64).decode())
    why = cluster.why_helm_test_fails(RELEASE, name=NAME)
    set_token(token)

    assert why.startswith("RAY_AUTH: Ray's dashboard at ")
    assert "refused this pod's token" in why


def test_helm_test_fails_when_a_worker_is_gone(cluster: Cluster, run: Run) -> None:
    """It asks Ray how many nodes there are."""
    cluster.wait_until("training has begun", lambda: run.step() >= 1, within_s=420)

    cluster.kubectl("scale", "statefulset", NAME, "--replicas", "1")
    cluster.wait_until("the worker is gone", lambda: f"{NAME}-1" not in cluster.pod_uids(RELEASE), within_s=90)
    why = cluster.why_helm_test_fails(RELEASE, name=NAME)

    assert why.startswith("JOIN_DEADLINE: 1 of 2 nodes with CPUs for Ray after 60 s")


def test_a_lost_worker_that_comes_back_is_survived(cluster: Cluster, run: Run) -> None:
    """It costs a restart of the engine, not the run."""
    cluster.kubectl("scale", "statefulset", NAME, "--replicas", "2")

    def goes_on() -> bool:
        return "attempt 2 of 3" in cluster.kubectl("logs", f"{NAME}-0")

    cluster.wait_until("the engine is started again", goes_on, within_s=120)
    before = run.step()
    cluster.wait_until("training goes on", lambda: run.step() > before + 1, within_s=120)


def test_training_finishes_with_a_higher_success_rate(cluster: Cluster, run: Run) -> None:
    """The policy learns: the last validation beats the first one clearly."""
    cluster.wait_until("the run has finished", run.is_finished, within_s=600)

    rates = run.success_rates()
    assert rates[-1] > rates[0] + 0.2


def test_a_finished_run_does_not_train_again(cluster: Cluster, run: Run) -> None:
    """A new head pod finds the marker, becomes ready and holds."""
    rows = len(run.metrics())
    uid = cluster.pod_uids(RELEASE)[f"{NAME}-0"]

    cluster.kubectl("delete", "pod", f"{NAME}-0")

    def is_back() -> bool:
        return cluster.pod_uids(RELEASE).get(f"{NAME}-0") != uid and f"{NAME}-0" in cluster.ready_pods(RELEASE)

    cluster.wait_until("the head is back", is_back, within_s=120)
    assert "finished already" in cluster.kubectl("logs", f"{NAME}-0")
    assert len(run.metrics()) == rows


def test_an_upgrade_with_a_changed_value_rolls_the_pods(cluster: Cluster, values: list[Path], run: Run) -> None:
    """More epochs are a changed run: new pods go on from the last checkpoint and finish again."""
    before, step = cluster.pod_uids(RELEASE), run.step()

    cluster.helm("upgrade", RELEASE, str(CHART), *options(values, f"training.hydra.trainer.total_epochs={step + 2}"))

    cluster.wait_until(
        "all pods are new", lambda: not set(before.values()) & set(cluster.pod_uids(RELEASE).values()), within_s=180
    )
    cluster.wait_until("the changed run has finished", lambda: run.is_finished() and run.step() > step, within_s=420)


def test_a_rollback_returns_to_the_first_run(cluster: Cluster) -> None:
    """Helm's history works, and the Ray token stays the same over all revisions."""
    token = cluster.get("secret", f"{NAME}-ray-token")["data"]

    cluster.helm("rollback", RELEASE, "1")

    assert cluster.get("secret", f"{NAME}-ray-token")["data"] == token
    cluster.wait_until("both pods are ready", lambda: cluster.ready_pods(RELEASE) == PODS, within_s=240)


def test_uninstall_leaves_nothing(cluster: Cluster) -> None:
    """No object of the release remains."""
    cluster.helm("uninstall", RELEASE, "--wait")

    cluster.wait_until_only()
