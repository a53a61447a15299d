"""Simulated GPU nodes, on which the real scheduler places pods and nothing runs."""

from __future__ import annotations

import json
import os

import pytest

from kubernetes_cluster import Cluster, run
from tests_support import ROOT

TYPE = "p5.48xlarge"
_COMMAND = os.environ.get("RLINF_E2E_FAKE_NODES", str(ROOT.parent / "shared" / "cluster" / "fake-nodes"))


def simulate(num_nodes: int) -> None:
    """Have so many simulated nodes p5.48xlarge, made by the command `fake-nodes COUNT TYPE`."""
    run([_COMMAND, str(num_nodes), TYPE])


def skip_without() -> None:
    """Skip the test where nothing simulates nodes."""
    if not os.access(_COMMAND, os.X_OK):
        pytest.skip(f"{_COMMAND} is not there: name a command that simulates nodes in RLINF_E2E_FAKE_NODES")


def claim_for(cluster: Cluster) -> None:
    """The claim that values/h100.yaml names."""
    cluster.host_claim("fsx", cluster.scratch / "fsx", mode="ReadWriteMany")


def keep_from_running(cluster: Cluster, pod: str) -> None:
    """Let nothing be simulated for a pod that has no place yet, for what simulates asks whether it has an address."""
    address = {"podIP": "192.0.2.1", "podIPs": [{"ip": "192.0.2.1"}]}
    cluster.kubectl("patch", "pod", pod, "--subresource", "status", "--patch", json.dumps({"status": address}))


def placed(cluster: Cluster, release: str) -> dict[str, str]:
    """Node by pod, of all pods of a release that the scheduler has found a place for.

    Told by events: what simulates the nodes also completes a Job's pods, and a succeeded Job loses its others.
    """
    events = cluster.get("events", "--field-selector", "reason=Scheduled")["items"]
    places = {event["involvedObject"]["name"]: event["message"].split()[-1] for event in events}
    return {pod: node for pod, node in places.items() if pod.startswith(release)}
