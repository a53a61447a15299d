"""What Ray knows of its nodes, asked over the dashboard's HTTP interface.

The dashboard answers from what it has in memory, in about 2 ms; importing ray to ask costs about 1.5 s of CPU.
"""

import time
from collections.abc import Callable, Collection
from typing import Any

from . import log
from .dashboard import Dashboard
from .exit_codes import BootstrapError, ExitCode
from .node import Node, unreachable
from .processes import Processes
from .roster import Roster

logger = log.of_step("wait")

_POLL_S = 0.5
_PROGRESS_S = 5.0


class Cluster:
    """The Ray cluster behind a head's dashboard."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.dashboard = dashboard

    def alive(self) -> list[Node]:
        """The nodes that Ray holds for alive.

        Raises:
            OSError: the dashboard does not answer, or not yet.
        """
        answer = self.dashboard.get("nodes?view=summary")
        try:
            raylets: list[dict[str, Any]] = [entry["raylet"] for entry in answer["data"]["summary"]]
        except (KeyError, TypeError) as error:
            raise OSError(f"the dashboard's answer is not a summary of nodes: {error!r}") from error
        return [
            Node(
                name=raylet["nodeName"],
                node_id=raylet["nodeId"],
                ip=raylet["nodeManagerAddress"],
                port=raylet["nodeManagerPort"],
                num_cpus=raylet.get("resourcesTotal", {}).get("CPU", 0),
                num_gpus=raylet.get("resourcesTotal", {}).get("GPU", 0),
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
        self, roster: Roster, processes: Processes, *, deadline_s: float, check: Callable[[], None]
    ) -> list[Node]:
        """Waits until all nodes of the roster are there and answer, saying every few seconds which do not.

        Args:
            roster: the nodes to wait for.
            processes: sleeps.
            deadline_s: how long to wait.
            check: is called while waiting, to raise when there is nothing left to wait for.

        Raises:
            BootstrapError: (`JOIN_DEADLINE`) some node did not come in time.
        """
        began_s = time.monotonic()
        next_line_s = began_s + _PROGRESS_S
        while True:
            nodes = roster.of(self.alive_or_none() or [])
            if roster.is_complete(nodes) and not unreachable(nodes):
                return nodes
            waited_s = time.monotonic() - began_s
            if waited_s >= deadline_s:
                raise BootstrapError(
                    ExitCode.JOIN_DEADLINE,
                    f"{roster.state(nodes)} after {waited_s:.0f} s (training.deadlines.joinSeconds): look at the pods "
                    "that are missing, or raise the deadline if nodes take longer to come",
                )
            if time.monotonic() >= next_line_s:
                logger.info("%s after %.0f s", roster.state(nodes), waited_s)
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
