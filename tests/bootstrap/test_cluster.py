"""When the cluster is complete, and what is said while it is not."""

import socket

import pytest

from rlinf_runtime.bootstrap.cluster import Node, complete, unreachable

NAMES = ("rlinf-0", "rlinf-1")


def node(name, life="1", port=1):
    return Node(name=name, node_id=f"{name}/{life}", ip="127.0.0.2", port=port)


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
    assert complete(nodes, NAMES) is expected


def test_a_node_is_unreachable_when_nobody_listens_at_its_raylets_port():
    """That shows at once, where Ray's health checks take 15 s."""
    with socket.create_server(("127.0.0.2", 0)) as raylet:
        port = raylet.getsockname()[1]
        assert unreachable([node("rlinf-0", port=port)]) == []
    assert unreachable([node("rlinf-0", port=port)]) == ["rlinf-0"]
