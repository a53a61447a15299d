"""RLinf waits for cluster.num_nodes nodes for ever, however many the run has."""

from __future__ import annotations

import time
from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch

# The bootstrap starts the engine when all nodes of the run are there.
_DEADLINE_S = 120.0


def _apply(module: ModuleType) -> Outcome:
    cluster = target.member(module, "Cluster")
    target.function(cluster, "get_alive_nodes", ())
    target.function(
        cluster, "_init_and_launch_managers", ("self", "num_nodes"), uses=("get_alive_nodes", "_num_nodes", "sleep")
    )

    def make(original: target.Function) -> target.Function:
        def launch(self: Any, *arguments: Any, **keywords: Any) -> Any:
            count = cluster.get_alive_nodes
            cluster.get_alive_nodes = staticmethod(_bounded(self, count))
            try:
                return original(self, *arguments, **keywords)
            finally:
                cluster.get_alive_nodes = staticmethod(count)

        return launch

    target.replace(cluster, "_init_and_launch_managers", make)
    return APPLIED


def _bounded(cluster: Any, count: target.Function) -> target.Function:
    until_s = time.monotonic() + _DEADLINE_S

    def get_alive_nodes() -> list[Any]:
        nodes = count()
        if len(nodes) < cluster._num_nodes and time.monotonic() >= until_s:  # noqa: SLF001 - the number that is waited for
            raise RuntimeError(
                f"cluster.num_nodes is {cluster._num_nodes}, but {len(nodes)} nodes are there after "  # noqa: SLF001
                f"{_DEADLINE_S:.0f} s: it must be nodes.count of the chart's values"
            )
        return nodes

    return get_alive_nodes


PATCH = Patch(
    name="node-wait",
    engines=("rlinf",),
    modules=("rlinf.scheduler.cluster.cluster",),
    driver_only=True,
    about="A cluster.num_nodes above the run's nodes is waited for without end; after two minutes it is refused.",
    apply=_apply,
)
