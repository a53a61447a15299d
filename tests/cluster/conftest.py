"""A namespace on the cluster that KUBECONFIG names, with what the pods need."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubernetes_cluster import Cluster, KubeRay, host_python_values, run
from tests_support import ROOT


@pytest.fixture(scope="session")
def kubeconfig() -> str:
    """The kubeconfig's path.

    A missing one is a failure and no skip: whoever runs `make e2e` wants these tests.
    """
    path = os.environ.get("KUBECONFIG", "")
    if not path:
        pytest.fail("make e2e needs KUBECONFIG: name the cluster to test on, as in KUBECONFIG=~/.kube/config make e2e")
    return path


@pytest.fixture(scope="session")
def kuberay(kubeconfig: str) -> KubeRay:
    """The operator that is there, told by its definitions: only 1.7 knows a token and an upgrade strategy."""
    del kubeconfig
    definition = run(["kubectl", "get", "customresourcedefinition", "rayclusters.ray.io", "--output", "json"])
    if '"upgradeStrategy"' in definition:
        return KubeRay(replaces_pods=True, values=())
    return KubeRay(replaces_pods=False, values=("kuberay.version=1.5", "ray.auth.enabled=false"))


@pytest.fixture(scope="session")
def deleted() -> Iterator[list[Cluster]]:
    """Namespaces that go away while the next module's tests run."""
    namespaces: list[Cluster] = []
    yield namespaces
    for namespace in namespaces:
        namespace.wait_until_deleted()


@pytest.fixture(scope="module")
def cluster(kubeconfig: str, tmp_path_factory: pytest.TempPathFactory, deleted: list[Cluster]) -> Iterator[Cluster]:
    """A fresh namespace that enforces Pod Security `restricted`; it is deleted afterwards."""
    del kubeconfig
    name = f"rlinf-e2e-{secrets.token_hex(3)}"
    cluster = Cluster(namespace=name, scratch=tmp_path_factory.mktemp(name))
    cluster.create_namespace(enforce="restricted")
    yield cluster
    cluster.delete_namespace()
    deleted.append(cluster)


@pytest.fixture(scope="module")
def machine_values(cluster: Cluster) -> list[Path]:
    """The smoke values, and those that tell this cluster's pods where Python comes from.

    RLINF_E2E_VALUES names a values file for clusters that can pull an image with the runtime. Without it the pods get
    this machine's Python and checkout through hostPath volumes.
    """
    own = os.environ.get("RLINF_E2E_VALUES")
    # The checkout that the environment was made for, which is another one in a git worktree.
    checkout = Path(sys.prefix).parent
    machine = Path(own) if own else host_python_values(cluster, base=Path(sys.base_prefix), checkout=checkout)
    return [ROOT / "values" / "smoke.yaml", machine]


@pytest.fixture(scope="module")
def values(machine_values: list[Path]) -> list[Path]:
    """A run that is long enough to lose a pod on the way, and to learn."""
    return [*machine_values, ROOT / "tests" / "cluster" / "short-run.yaml"]


@pytest.fixture(scope="module")
def quick_values(machine_values: list[Path]) -> list[Path]:
    """A run that only shows that it runs."""
    return [*machine_values, ROOT / "tests" / "cluster" / "quick-run.yaml"]
