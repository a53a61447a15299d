"""The release's NetworkPolicy on a network that enforces it: the run trains behind it, and nobody else gets in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from kubernetes_cluster import CHART, Cluster, options

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

RELEASE = "closed"
PODS = {"closed-rlinf-0", "closed-rlinf-1"}
FRIEND = "podSelector.matchLabels.app=friend"
POLICY = (
    f"networkPolicy.dashboardFrom[0].{FRIEND}",
    "networkPolicy.egress.restricted=true",
    "networkPolicy.egress.https=false",
    f"networkPolicy.egress.to[0].to[0].{FRIEND}",
    # Long enough to knock at Ray's ports meanwhile.
    "training.hydra.trainer.total_epochs=10",
)
RAY, DASHBOARD, METRICS = 6379, 8265, 8080
# Of the pods beside the release.
SERVED = 8000

# A fence answers a knock with a refusal, or not at all.
_KNOCK = """
import json, socket, sys
from concurrent.futures import ThreadPoolExecutor

def is_open(port):
    try:
        socket.create_connection((sys.argv[1], port), timeout=3).close()
    except OSError:
        return False
    return True

ports = [int(port) for port in sys.argv[2:]]
with ThreadPoolExecutor(len(ports)) as pool:
    print(json.dumps([port for port, answer in zip(ports, pool.map(is_open, ports)) if answer]))
"""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A pod that runs, and its address."""

    cluster: Cluster
    name: str
    ip: str

    def reaches(self, other: Peer, *ports: int) -> list[int]:
        """Those of the other's ports at which a connection is accepted."""
        knock = ("python3", "-c", _KNOCK, other.ip, *(str(port) for port in ports))
        return json.loads(self.cluster.kubectl("exec", self.name, "--", *knock))

    def listens_on(self) -> set[int]:
        """The ports of TCP at which the pod's processes take connections from other pods."""
        sockets = self.cluster.kubectl("exec", self.name, "--", "cat", "/proc/net/tcp", "/proc/net/tcp6").splitlines()
        addresses = [columns[1] for columns in map(str.split, sockets) if columns[3] == "0A"]
        return {int(it.split(":")[1], 16) for it in addresses if not it.startswith("0100007F")}


def peer(cluster: Cluster, name: str) -> Peer:
    """A pod, once it runs."""

    def address() -> str:
        status = cluster.get("pod", name)["status"]
        return status.get("podIP", "") if status["phase"] == "Running" else ""

    cluster.wait_until(f"{name} runs", address, within_s=120)
    return Peer(cluster=cluster, name=name, ip=address())


def add_pod_like(cluster: Cluster, model: str, name: str) -> Peer:
    """A pod with the image, user and volumes of another, but a label of its own, which serves a port."""
    spec = cluster.get("pod", model)["spec"]
    [container] = spec["containers"]
    taken = {key: container[key] for key in ("image", "imagePullPolicy", "securityContext", "volumeMounts")}
    serve = ["python3", "-m", "http.server", str(SERVED)]
    path = [variable for variable in container["env"] if variable["name"] == "PATH"]
    pod = {
        **{key: spec[key] for key in ("securityContext", "volumes")},
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "containers": [{**taken, "name": "main", "command": serve, "env": path}],
    }
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}}, "spec": pod})
    return peer(cluster, name)


def is_enforced(knocker: Peer, target: Peer) -> bool:
    """Whether the network closes a pod that a policy closes to everybody."""
    cluster = target.cluster
    spec = {"podSelector": {"matchLabels": {"app": target.name}}, "policyTypes": ["Ingress"]}
    kind = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
    cluster.wait_until("it serves", lambda: knocker.reaches(target, SERVED), within_s=60)
    cluster.apply({**kind, "metadata": {"name": "nobody"}, "spec": spec})
    answers = [knocker.reaches(target, SERVED) for _ in range(5)]
    cluster.kubectl("delete", "networkpolicy", "nobody")
    cluster.wait_until("it serves again", lambda: knocker.reaches(target, SERVED), within_s=60)
    return [] in answers


@pytest.fixture(scope="module")
def head(cluster: Cluster, quick_values: list[Path]) -> Peer:
    """The head of a release on two nodes, which have not found each other yet."""
    cluster.helm("install", RELEASE, str(CHART), *options(quick_values, *POLICY))
    return peer(cluster, "closed-rlinf-0")


@pytest.fixture(scope="module")
def friend(cluster: Cluster, head: Peer) -> Peer:
    """A pod that the values name."""
    return add_pod_like(cluster, head.name, "friend")


@pytest.fixture(scope="module")
def stranger(cluster: Cluster, head: Peer, friend: Peer) -> Peer:
    """A pod of the same namespace that they do not name."""
    stranger = add_pod_like(cluster, head.name, "stranger")
    if not is_enforced(friend, stranger):
        pytest.skip("the cluster's network enforces no NetworkPolicies")
    return stranger


def test_the_cluster_forms_while_a_stranger_knocks_in_vain(cluster: Cluster, head: Peer, stranger: Peer) -> None:
    """From the first second on; the nodes need each other and name servers, and no more."""
    answers: set[int] = set()

    def has_formed() -> bool:
        answers.update(stranger.reaches(head, RAY, DASHBOARD, METRICS))
        return cluster.ready_pods(RELEASE) == PODS

    cluster.wait_until("both pods are ready", has_formed, within_s=240)

    assert answers == set()


def test_every_port_of_the_head_is_open_to_its_nodes_alone(
    cluster: Cluster, head: Peer, friend: Peer, stranger: Peer
) -> None:
    """Ray listens on many more than it names; of a friend's there is the dashboard."""
    ports = head.listens_on()

    assert ports >= {RAY, DASHBOARD, METRICS}
    assert stranger.reaches(head, *ports) == []
    assert friend.reaches(head, *ports) == [DASHBOARD]
    assert {RAY, DASHBOARD, METRICS} <= set(peer(cluster, "closed-rlinf-1").reaches(head, *ports))


def test_helm_test_gets_in(cluster: Cluster, head: Peer) -> None:
    """Its pod is one of the release."""
    del head
    assert "Succeeded" in cluster.helm("test", RELEASE, "--timeout", "120s")


def test_the_training_finishes_and_reaches_nobody_else(
    cluster: Cluster, head: Peer, friend: Peer, stranger: Peer
) -> None:
    """But whom the values name."""
    cluster.wait_until(
        "the run is finished", lambda: "the run is finished" in cluster.kubectl("logs", head.name), within_s=240
    )

    assert head.reaches(stranger, SERVED) == []
    assert head.reaches(friend, SERVED) == [SERVED]
