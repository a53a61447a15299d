"""`rlinf-eks diff --live` against a release on a real cluster; its pods need not run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import rlinf_eks
from kubernetes_cluster import CHART, Cluster

pytestmark = pytest.mark.cluster

# No node has this label, so the pods take nothing of the cluster.
NOWHERE = "scheduling.nodeSelector.rlinf-test=nowhere"


@pytest.fixture(scope="module")
def release(cluster: Cluster) -> str:
    """A release of the chart as `package` packs it."""
    rlinf_eks("package", "--output", cluster.scratch)
    [packed] = cluster.scratch.glob("*.tgz")
    cluster.helm("install", "live", str(packed), "--set", NOWHERE)
    return "live"


def test_the_same_values_show_no_difference(cluster: Cluster, release: str) -> None:
    """Not even the random token, which an upgrade would keep."""
    done = rlinf_eks("diff", "--live", "--name", release, "--namespace", cluster.namespace, "--set", NOWHERE)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_other_values_show_what_an_upgrade_would_change(cluster: Cluster, release: str) -> None:
    """And after the upgrade nothing is left of it."""
    options = ("--live", "--name", release, "--namespace", cluster.namespace)
    change = f"{NOWHERE},storage.runs.mountPath=/elsewhere"

    done = rlinf_eks("diff", *options, "--set", change, "--json")

    assert done.exit_code == 1
    changes = {it["kind"]: it["fields"] for it in json.loads(done.stdout)}
    assert set(changes) == {"ConfigMap", "Pod", "StatefulSet"}
    assert changes["ConfigMap"] == [
        {"path": "data[run.json].folder", "before": "/runs/live-rlinf", "after": "/elsewhere/live-rlinf"}
    ]

    cluster.helm("upgrade", release, str(CHART), "--set", change)
    assert rlinf_eks("diff", *options, "--set", change).exit_code == 0


def test_a_release_that_is_not_there(cluster: Cluster) -> None:
    """Helm's own words, and the exit code of trouble."""
    done = rlinf_eks("diff", "--live", "--name", "nobody", "--namespace", cluster.namespace)
    assert done.exit_code == 2
    assert "helm get manifest nobody" in done.stderr
    assert "release: not found" in done.stderr


def test_the_cluster_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Likewise."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    done = rlinf_eks("diff", "--live")
    assert done.exit_code == 2
    assert "cluster unreachable" in done.stderr
