"""RLinf waits for more nodes than the run has."""

import threading

import pytest

from rlinf_runtime.bootstrap.patches.rlinf import node_wait

MODULE = "rlinf.scheduler.cluster.cluster"


def test_a_missing_node_is_waited_for_without_end(engine):
    """The fault; the thread's second node comes after the test has seen it wait."""
    module = engine.load(MODULE)
    waiting = threading.Thread(target=module.Cluster, args=(2,))
    waiting.start()
    waiting.join(timeout=0.5)
    assert waiting.is_alive()
    module.NODES.append("a second node")
    waiting.join()


def test_a_missing_node_is_refused_in_the_end(engine, monkeypatch):
    """With both numbers and the key that is wrong."""
    monkeypatch.setattr(node_wait, "_DEADLINE_S", 0.2)
    with pytest.raises(
        RuntimeError, match=r"cluster\.num_nodes is 2, but 1 nodes are there after 0 s: it must be nodes"
    ):
        engine.load(MODULE, "node-wait").Cluster(2)


def test_the_right_number_of_nodes_is_taken(engine):
    """And counting is as before afterwards."""
    module = engine.load(MODULE, "node-wait")
    module.Cluster(1)
    assert module.Cluster.get_alive_nodes() == ["the only node"]
