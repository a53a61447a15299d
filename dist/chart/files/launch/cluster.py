"""What Ray knows of its nodes, asked over the dashboard's HTTP interface.

The dashboard answers from what it has in memory, in about 2 ms; importing ray to ask costs about 1.5 s of CPU.
"""

import json
import socket
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from . import log
from .exit_codes import BootstrapError, ExitCode
from .processes import Processes

logger = log.of_step("wait")

_REQUEST_S = 2.0
_CONNECT_S = 2.0
_POLL_S = 0.5
_PROGRESS_S = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One living node: its pod's name, Ray's id of this life of it, and where its raylet listens."""

    name: str
    node_id: str
    ip: str
    port: int


class Cluster:
    """The Ray cluster behind a head's dashboard."""

    def __init__(self, *, dashboard: str, token: str | None) -> None:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._request = urllib.request.Request(f"http://{dashboard}/nodes?view=summary", headers=headers)
        # A proxy of the environment is meant for the world outside, not for this pod.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def alive(self) -> list[Node]:
        """The nodes that Ray holds for alive.

        Raises:
            OSError: the dashboard does not answer, or not yet.
        """
        with self._opener.open(self._request, timeout=_REQUEST_S) as response:
            try:
                raylets: list[dict[str, Any]] = [entry["raylet"] for entry in json.load(response)["data"]["summary"]]
            except (ValueError, KeyError, TypeError) as error:
                raise OSError(f"the dashboard's answer is not a summary of nodes: {error!r}") from error
        return [
            Node(
                name=raylet["nodeName"],
                node_id=raylet["nodeId"],
                ip=raylet["nodeManagerAddress"],
                port=raylet["nodeManagerPort"],
            )
            for raylet in raylets
            if raylet.get("state") == "ALIVE"
        ]

    def alive_or_none(self) -> list[Node] | None:
        """The living nodes, or None when the dashboard does not answer."""
        try:
            return self.alive()
        except OSError:
            return None

    def wait_for(
        self, names: Sequence[str], processes: Processes, *, deadline_s: float, check: Callable[[], None]
    ) -> list[Node]:
        """Waits until each name has exactly one living node, saying every few seconds which have none.

        Args:
            names: the nodes' names.
            processes: sleeps.
            deadline_s: how long to wait.
            check: is called while waiting, to raise when there is nothing left to wait for.

        Raises:
            BootstrapError: (`JOIN_DEADLINE`) some node did not come in time.
        """
        began_s = time.monotonic()
        next_line_s = began_s + _PROGRESS_S
        while True:
            nodes = [node for node in self.alive_or_none() or () if node.name in names]
            if complete(nodes, names) and not unreachable(nodes):
                return nodes
            waited_s = time.monotonic() - began_s
            if waited_s >= deadline_s:
                raise BootstrapError(
                    ExitCode.JOIN_DEADLINE,
                    f"{_state(nodes, names)} after {waited_s:.0f} s (deadlines.join_s): look at the pods that are "
                    "missing, or raise the deadline if nodes take longer to come",
                )
            if time.monotonic() >= next_line_s:
                logger.info("%s after %.0f s", _state(nodes, names), waited_s)
                next_line_s += _PROGRESS_S
            check()
            processes.sleep(_POLL_S)

    def gone(self, nodes: Collection[Node]) -> list[str]:
        """Names of those nodes that Ray has given up; a killed one takes about 15 s of missed health checks."""
        alive = self.alive_or_none()
        if alive is None:
            return []
        ids = {node.node_id for node in alive}
        return sorted(node.name for node in nodes if node.node_id not in ids)


def unreachable(nodes: Collection[Node]) -> list[str]:
    """Names of those nodes whose raylet does not answer on its port: known at once after a kill."""
    return sorted(node.name for node in nodes if not _listens(node))


def complete(nodes: Collection[Node], names: Sequence[str]) -> bool:
    """Whether each name has exactly one node: a pod that came back is there twice until Ray drops its former life."""
    counts = Counter(node.name for node in nodes)
    return all(counts[name] == 1 for name in names)


def _state(nodes: Collection[Node], names: Sequence[str]) -> str:
    counts = Counter(node.name for node in nodes)
    twice = [name for name in names if counts[name] > 1]
    lost = unreachable(nodes)
    missing = [name for name in names if name not in twice and (counts[name] == 0 or name in lost)]
    words = f"{len(names) - len(missing) - len(twice)} of {len(names)} nodes"
    if missing:
        words += f", missing: {', '.join(missing)}"
    if twice:
        words += f", Ray still holds the former life of: {', '.join(twice)}"
    return words


def _listens(node: Node) -> bool:
    try:
        socket.create_connection((node.ip, node.port), timeout=_CONNECT_S).close()
    except OSError:
        return False
    return True
