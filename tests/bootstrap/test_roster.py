"""When a run's nodes are all there, and what is said while they are not."""

import socket

import pytest

from rlinf_runtime.bootstrap.node import Node, unreachable
from rlinf_runtime.bootstrap.roster import Counted, Named

NAMED = Named(("rlinf-0", "rlinf-1"))


def node(name, life="1", port=1, num_cpus=1.0):
    return Node(name=name, node_id=f"{name}/{life}", ip="127.0.0.2", port=port, num_cpus=num_cpus, num_gpus=0)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([], False),
        ([node("rlinf-0")], False),
        ([node("rlinf-0"), node("rlinf-1")], True),
        ([node("rlinf-0"), node("rlinf-1"), node("rlinf-1", life="2")], False),
        ([node("rlinf-0"), node("rlinf-1"), node("visitor")], True),
    ],
)
def test_each_name_needs_exactly_one_living_node(nodes, expected):
    """A pod that came back is there twice until Ray drops its former life: the engine must not be placed on that."""
    assert NAMED.is_complete(NAMED.of(nodes)) is expected


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([node("10.0.0.1"), node("10.0.0.2")], True),
        ([node("10.0.0.1"), node("10.0.0.2"), node("10.0.0.3")], True),
        ([node("10.0.0.1", num_cpus=0), node("10.0.0.2")], False),
    ],
)
def test_nodes_without_names_of_ours_are_counted(nodes, expected):
    """A head without CPUs for Ray takes no rank, and a shared cluster may be larger than the run."""
    roster = Counted(2)
    assert roster.is_complete(roster.of(nodes)) is expected


def test_a_node_is_unreachable_when_nobody_listens_at_its_raylets_port():
    """That shows at once, where Ray's health checks take 15 s."""
    with socket.create_server(("127.0.0.2", 0)) as raylet:
        port = raylet.getsockname()[1]
        assert unreachable([node("rlinf-0", port=port)]) == []
    assert unreachable([node("rlinf-0", port=port)]) == ["rlinf-0"]
