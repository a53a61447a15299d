"""Mode `raycluster` with Ray's autoscaler on a real KubeRay: workers come for a run, and go after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubernetes_cluster import CHART, Cluster, KubeRay, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

RELEASE = "elastic"
HEAD, WORKERS = "ray.io/node-type=head", "ray.io/node-type=worker"
AUTOSCALED = ("mode=raycluster", "kuberay.autoscaler.enabled=true", "kuberay.autoscaler.idleSeconds=10")


def head_of(cluster: Cluster) -> str:
    """The head's pod."""
    [head] = cluster.training_pods(HEAD)
    return head["metadata"]["name"]


def test_without_work_there_is_a_head_and_helm_test_passes(
    cluster: Cluster, quick_values: list[Path], kuberay: KubeRay
) -> None:
    """The autoscaler's container meets `restricted`, and it alone has a token for the Kubernetes API."""
    cluster.helm("install", RELEASE, str(CHART), *options(quick_values, *AUTOSCALED, *kuberay.values))
    cluster.wait_until("the head is ready", lambda: len(cluster.ready_pods(RELEASE)) == 1, within_s=240)

    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")
    assert not cluster.training_pods(WORKERS)
    [head] = cluster.training_pods(HEAD)
    with_token = [
        container["name"]
        for container in head["spec"]["containers"]
        if any(it["mountPath"].startswith("/var/run/secrets/kubernetes.io") for it in container["volumeMounts"])
    ]
    assert with_token == ["autoscaler"]


def test_a_run_gets_its_nodes(cluster: Cluster) -> None:
    """The job asks for them before its engine starts."""
    submit = ("exec", "sh", "/opt/rlinf/launch/launch.sh", "submit")
    log = cluster.kubectl("exec", head_of(cluster), "--", "ray", "job", "submit", "--", *submit, timeout_s=500)

    assert "asking Ray's autoscaler for 2 nodes" in log
    assert "the run is finished" in log


def test_idle_workers_go(cluster: Cluster) -> None:
    """And their machines are free."""
    cluster.wait_until("no worker is left", lambda: not cluster.training_pods(WORKERS), within_s=180)


def test_an_upgrade_and_uninstall_leave_nothing(cluster: Cluster, quick_values: list[Path], kuberay: KubeRay) -> None:
    """Neither of the release nor of the operator, though the autoscaler has written to the RayCluster."""
    changed = options(quick_values, "extraEnv.NEW=yes", *AUTOSCALED, *kuberay.values)
    cluster.helm("upgrade", RELEASE, str(CHART), "--force-conflicts", *changed)
    cluster.helm("uninstall", RELEASE, "--wait")

    cluster.wait_until_only()
