"""Volcano on a real cluster with simulated nodes: the pods of a run get their places at once, or none does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import simulated_nodes
from kubernetes_cluster import CHART, Cluster, KubeRay, options, run
from tests_support import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

NODES = 3
FILES = [ROOT / "values" / "h100.yaml", ROOT / "values" / "multi-node.yaml"]
RUN = (
    f"nodes.count={NODES}",
    "scheduling.volcanoQueue=default",
    "training.hydra.data.train_batch_size=24",
    "training.hydra.actor_rollout_ref.actor.ppo_mini_batch_size=96",
    "training.hydra.actor_rollout_ref.rollout.log_prob_micro_batch_size=24",
    "training.hydra.actor_rollout_ref.ref.log_prob_micro_batch_size=24",
)
# It finds no place, whatever the nodes.
NO_HEAD = ("kuberay.head.separate=true", "kuberay.head.cpu=1000000m")


@pytest.fixture(scope="module")
def volcano(kubeconfig: str) -> None:
    """Volcano is there, and something that simulates nodes."""
    del kubeconfig
    if "podgroups" not in run(["kubectl", "api-resources", "--api-group", "scheduling.volcano.sh", "--output", "name"]):
        pytest.skip("this cluster has no Volcano")
    simulated_nodes.skip_without()


@pytest.fixture(scope="module")
def namespace(volcano: None, cluster: Cluster) -> Iterator[Cluster]:
    """The namespace with the claim; each test simulates the nodes that it needs."""
    del volcano
    simulated_nodes.claim_for(cluster)
    yield cluster
    simulated_nodes.simulate(0)


def stays_out(cluster: Cluster, release: str) -> None:
    """No pod gets a place, though there is room for some."""
    with pytest.raises(AssertionError, match="not within"):
        cluster.wait_until("a pod has a place", lambda: simulated_nodes.placed(cluster, release), within_s=10)


def on_gpu_nodes(cluster: Cluster, release: str) -> set[str]:
    """The training pods that have a place; a RayJob's submitter is none."""
    return {pod for pod, node in simulated_nodes.placed(cluster, release).items() if "p5-48xlarge" in node}


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_all_pods_of_a_run_or_none(namespace: Cluster, kuberay: KubeRay, mode: str) -> None:
    """With a node too few none is placed, with enough all are."""
    simulated_nodes.simulate(NODES - 1)
    namespace.helm("install", mode, str(CHART), *options(FILES, f"mode={mode}", *RUN, *kuberay.values))
    stays_out(namespace, mode)

    simulated_nodes.simulate(NODES)

    namespace.wait_until("all have a place", lambda: len(on_gpu_nodes(namespace, mode)) == NODES, within_s=60)
    namespace.helm("uninstall", mode, "--wait")
    namespace.wait_until("its pods are gone", lambda: not namespace.pod_uids(mode), within_s=60)


def test_a_head_beside_the_nodes_is_waited_for(namespace: Cluster, kuberay: KubeRay) -> None:
    """Workers alone would hold GPUs and do nothing."""
    simulated_nodes.simulate(NODES)
    mode = ("mode=raycluster", *NO_HEAD)

    namespace.helm("install", "no-head", str(CHART), *options(FILES, *mode, *RUN, *kuberay.values))

    namespace.wait_until("all pods are made", lambda: len(namespace.pod_uids("no-head")) == NODES + 1, within_s=60)
    stays_out(namespace, "no-head")
    namespace.helm("uninstall", "no-head", "--wait")
