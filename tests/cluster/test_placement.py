"""64 nodes p5.48xlarge, simulated: the real scheduler finds a place for every pod of each mode, and nothing runs."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator

import pytest

import simulated_nodes
from command_line import rlinf_eks
from kubernetes_cluster import CHART, Cluster, KubeRay, options
from simulated_nodes import TYPE
from tests_support import ROOT

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

NODES = 64
FILES = [
    ROOT / "values" / "h100.yaml",
    ROOT / "values" / "multi-node.yaml",
    ROOT / "tests" / "cluster" / "large-run.yaml",
]
SMALL_HEAD = ("kuberay.head.separate=true", "kuberay.head.cpu=100m", "kuberay.head.memory=64Mi")


@pytest.fixture(scope="module")
def namespace(cluster: Cluster) -> Iterator[Cluster]:
    """The namespace, and the simulated nodes."""
    simulated_nodes.skip_without()
    simulated_nodes.simulate(NODES)
    simulated_nodes.claim_for(cluster)
    yield cluster
    simulated_nodes.simulate(0)


class Release:
    """A release of 64 nodes, named after its test."""

    def __init__(self, namespace: Cluster, name: str) -> None:
        self._namespace = namespace
        self._name = name

    def install(self, *assignments: str) -> None:
        """Install it; `validate` has nothing to say."""
        chosen = options(FILES, *assignments)
        assert rlinf_eks("validate", *chosen).exit_code == 0
        self._namespace.helm("install", self._name, str(CHART), *chosen)

    def placed(self) -> dict[str, str]:
        """Node by pod, of those that have one."""
        return simulated_nodes.placed(self._namespace, self._name)

    def wait_until_placed(self, num_pods: int) -> None:
        """Wait until so many pods have a place."""
        self._namespace.wait_until(f"{num_pods} have a place", lambda: len(self.placed()) == num_pods, within_s=90)

    def uninstall(self) -> None:
        """Make room for the next."""
        self._namespace.helm("uninstall", self._name, "--wait")
        self._namespace.wait_until("all pods are gone", lambda: not self._namespace.pod_uids(self._name), within_s=90)


@pytest.fixture
def release(namespace: Cluster) -> Iterator[Release]:
    """The test's release, uninstalled afterwards."""
    release = Release(namespace, f"large-{secrets.token_hex(2)}")
    yield release
    release.uninstall()


@pytest.mark.parametrize("mode", ["statefulset", "raycluster", "rayjob"])
def test_every_pod_gets_a_node_of_its_own(namespace: Cluster, release: Release, kuberay: KubeRay, mode: str) -> None:
    """And a RayJob's submitter finds room beside one of them; that job ends with its release though Ray never ran."""
    release.install(f"mode={mode}", *kuberay.values)

    release.wait_until_placed(NODES + 1 if mode == "rayjob" else NODES)
    training = Counter(pod["spec"]["nodeName"] for pod in namespace.training_pods())
    assert len(training) == NODES
    assert set(training.values()) == {1}


def test_every_pod_of_a_job_gets_a_node(namespace: Cluster, release: Release) -> None:
    """What simulates the nodes completes a Job's pods at once, and a Job ends with its first: that one is held back."""
    simulated_nodes.simulate(0)
    release.install("mode=job")
    namespace.wait_until("all pods are made", lambda: len(namespace.training_pods()) == NODES, within_s=90)
    [first] = namespace.training_pods("batch.kubernetes.io/job-completion-index=0")
    simulated_nodes.keep_from_running(namespace, first["metadata"]["name"])
    simulated_nodes.simulate(NODES)

    release.wait_until_placed(NODES)
    assert all("p5-48xlarge" in node for node in release.placed().values())


def test_a_head_that_only_directs_takes_no_gpu_node(release: Release, kuberay: KubeRay) -> None:
    """All 64 are the workers'."""
    release.install("mode=raycluster", *SMALL_HEAD, *kuberay.values)

    release.wait_until_placed(NODES + 1)
    [head] = [node for pod, node in release.placed().items() if "-head-" in pod]
    assert "p5-48xlarge" not in head
    assert len(set(release.placed().values())) == NODES + 1


def test_a_pod_that_asks_for_too_much_stays_pending_and_validate_had_said_so(namespace: Cluster) -> None:
    """A type that only the node selector names is out of reach of the chart's own rules."""
    too_much = (
        "instance.type=",
        f"scheduling.nodeSelector.node\\.kubernetes\\.io/instance-type={TYPE}",
        "nodes.gpus=16",
        "nodes.count=1",
    )
    chosen = options(FILES, *too_much)

    said = rlinf_eks("validate", *chosen)
    namespace.helm("install", "too-much", str(CHART), *chosen)

    assert said.exit_code == 1
    assert f"a pod asks for 16 nvidia.com/gpu, and a node of type {TYPE} has 8" in said.stderr
    failed = ("events", "--field-selector", "reason=FailedScheduling,involvedObject.name=too-much-rlinf-0")
    namespace.wait_until("the scheduler has tried", lambda: namespace.get(*failed)["items"], within_s=30)
    assert "Insufficient nvidia.com/gpu" in namespace.get(*failed)["items"][0]["message"]
    assert namespace.get("pod", "too-much-rlinf-0")["status"]["phase"] == "Pending"
