"""Kueue on a real cluster: a queue with room for one release lets the second in when the first is gone.

No node has the label that the pods ask for, so they take nothing of the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubernetes_cluster import CHART, Cluster, KubeRay, options, run
from tests_support import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

NOWHERE = "scheduling.nodeSelector.rlinf-test=nowhere"
QUEUE = "scheduling.kueueQueue=one-run"
API = "kueue.x-k8s.io/v1beta1"
# The two pods of smoke.yaml, and a RayJob's submitter.
ROOM = {"cpu": "600m", "memory": "6Gi"}
WORKLOADS = {"job": "jobs.batch", "rayjob": "rayjobs", "raycluster": "rayclusters", "statefulset": "statefulsets"}


@pytest.fixture(scope="module")
def kueue(kubeconfig: str) -> None:
    """Kueue is there."""
    del kubeconfig
    known = run(["kubectl", "api-resources", "--api-group", "kueue.x-k8s.io", "--output", "name"])
    if "localqueues" not in known:
        pytest.skip("this cluster has no Kueue")


@pytest.fixture(scope="module")
def queue(kueue: None, cluster: Cluster) -> Iterator[None]:
    """A queue of the namespace with room for one release."""
    del kueue
    name = cluster.namespace
    flavors = [{"name": name, "resources": [{"name": key, "nominalQuota": amount} for key, amount in ROOM.items()]}]
    cluster.apply(
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}},
        {
            "apiVersion": API,
            "kind": "ClusterQueue",
            "metadata": {"name": name},
            "spec": {
                "namespaceSelector": {},
                "resourceGroups": [{"coveredResources": list(ROOM), "flavors": flavors}],
            },
        },
        {"apiVersion": API, "kind": "LocalQueue", "metadata": {"name": "one-run"}, "spec": {"clusterQueue": name}},
    )
    yield
    cluster.kubectl("delete", "localqueue/one-run", f"clusterqueue/{name}", f"resourceflavor/{name}")


def pods_in(cluster: Cluster, release: str) -> list[dict[str, Any]]:
    """A release's training pods that Kueue lets the scheduler see."""
    pods = cluster.training_pods(f"app.kubernetes.io/instance={release}")
    return [pod for pod in pods if not pod["spec"].get("schedulingGates")]


@pytest.mark.parametrize("mode", list(WORKLOADS))
def test_a_run_waits_for_its_turn(queue: None, cluster: Cluster, kuberay: KubeRay, mode: str) -> None:
    """As a whole, and an upgrade while it waits does not let it in."""
    del queue
    values = options([ROOT / "values" / "smoke.yaml"], f"mode={mode}", QUEUE, NOWHERE, *kuberay.values)
    cluster.helm("install", f"first-{mode}", str(CHART), *values)
    cluster.wait_until("the first is in", lambda: pods_in(cluster, f"first-{mode}"), within_s=60)

    cluster.helm("install", f"second-{mode}", str(CHART), *values)
    cluster.helm("upgrade", f"second-{mode}", str(CHART), *values, "--set", "podAnnotations.changed=yes")
    with pytest.raises(AssertionError, match="not within"):
        cluster.wait_until("the second is in as well", lambda: pods_in(cluster, f"second-{mode}"), within_s=10)
    workload = cluster.get(WORKLOADS[mode], "--selector", f"app.kubernetes.io/instance=second-{mode}")["items"][0]
    assert workload["spec"].get("suspend", mode == "statefulset") is True

    cluster.helm("uninstall", f"first-{mode}", "--wait")
    cluster.wait_until("the second is in", lambda: pods_in(cluster, f"second-{mode}"), within_s=90)
    cluster.helm("uninstall", f"second-{mode}", "--wait")
