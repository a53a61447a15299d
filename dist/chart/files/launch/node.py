"""A node of the Ray cluster, as Ray and the network know it."""

import socket
from collections.abc import Collection
from dataclasses import dataclass

_CONNECT_S = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One living node: its name, Ray's id of this life of it, where its raylet listens, and what it offers."""

    name: str
    node_id: str
    ip: str
    port: int
    num_cpus: float
    num_gpus: float


def unreachable(nodes: Collection[Node]) -> list[str]:
    """Names of those nodes whose raylet does not answer on its port: known at once after a kill."""
    return sorted(node.name for node in nodes if not _listens(node))


def _listens(node: Node) -> bool:
    try:
        socket.create_connection((node.ip, node.port), timeout=_CONNECT_S).close()
    except OSError:
        return False
    return True
