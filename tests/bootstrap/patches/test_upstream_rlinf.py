"""The real RLinf v0.3, where RLINF_TEST_RLINF_TREE names a clone or the folder of an unpacked wheel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import ray

from rlinf_runtime.bootstrap.patches import registry

TREE = os.environ.get("RLINF_TEST_RLINF_TREE", "")
NAMES = [patch.name for patch in registry.select("rlinf", off=()) if "rlinf" in patch.modules[0]]

pytestmark = [
    pytest.mark.upstream,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(not TREE, reason="RLINF_TEST_RLINF_TREE names no tree of RLinf"),
    pytest.mark.filterwarnings("default"),
]

IMPATIENT = """
import sys
from rlinf_runtime.bootstrap.patches.rlinf import node_wait
node_wait._DEADLINE_S = 3.0
from rlinf.scheduler.cluster.cluster import Cluster
Cluster(num_nodes=int(sys.argv[1]))
print("the cluster is complete")
"""


def test_every_patch_is_applied_to_the_real_files(engine_of):
    """Each of their modules looks as it expects."""
    engine = engine_of(Path(TREE))
    engine.load("rlinf.scheduler.cluster.cluster", *NAMES)
    assert engine.applied() == set(NAMES)


@pytest.fixture(scope="module")
def address():
    """A Ray of one node."""
    context = ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.2")
    yield context.address_info["address"]
    ray.shutdown()


@pytest.fixture
def connect(address, tmp_path):
    """Makes RLinf's cluster of so many nodes under the patches, in a driver of its own."""
    script = tmp_path / "connect.py"
    script.write_text(IMPATIENT)
    path = os.pathsep.join([TREE, str(Path(__file__).parents[3] / "runtime")])

    def run(num_nodes):
        return subprocess.run(
            [sys.executable, "-m", "rlinf_runtime.bootstrap.patches.drive", "--script", str(script), str(num_nodes)],
            env={**os.environ, "PYTHONPATH": path, "RLINF_ENGINE": "rlinf", "RAY_ADDRESS": address},
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )

    return run


def test_the_real_cluster_waits_no_longer_than_it_must(connect):
    """It says both numbers, and the key."""
    done = connect(2)
    assert done.returncode != 0
    assert "cluster.num_nodes is 2, but 1 nodes are there after 3 s" in done.stderr


def test_the_real_cluster_is_made_of_the_nodes_that_are_there(connect):
    """Its managers start, in workers that carry the patches."""
    done = connect(1)
    assert done.returncode == 0, done.stderr
    assert "the cluster is complete" in done.stdout
