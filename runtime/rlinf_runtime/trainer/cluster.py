"""The Ray cluster: connecting to it, and a place on it for every rank."""

from __future__ import annotations

import logging
import os
import socket
import time
from typing import TYPE_CHECKING, Any

import ray
from ray.util.placement_group import PlacementGroup, placement_group

from rlinf_runtime.trainer.errors import PlacementError

if TYPE_CHECKING:
    from rlinf_runtime.trainer.config.schema import RunConfig
    from rlinf_runtime.trainer.stop import StopRequest

_LOGGER = logging.getLogger(__name__)
_PROGRESS_S = 10.0
_KNOCK_TIMEOUT_S = 10.0


def connect(config: RunConfig) -> None:
    """Connects to the cluster of RAY_ADDRESS; without that variable, starts one on this machine alone.

    Raises:
        PlacementError: RAY_ADDRESS is set and nothing answers there.
    """
    address = os.environ.get("RAY_ADDRESS")
    if address is None:
        _LOGGER.info("RAY_ADDRESS is not set: starting Ray on this machine")
        _start_here(config.world_size)
        return
    try:
        _knock(address)
        ray.init(address=address, logging_level=logging.WARNING)
    except (OSError, RuntimeError, ValueError) as error:
        raise PlacementError(
            f"cannot connect to the Ray cluster at RAY_ADDRESS={address}: {error}; start it there, or unset "
            "RAY_ADDRESS to run on this machine alone"
        ) from error


def _start_here(num_cpus: int, *, starts: int = 3) -> None:
    """Starts Ray, again where it gives up: it allows 30 s for its own parts, and a busy machine may need more."""
    try:
        ray.init(address="local", num_cpus=num_cpus, include_dashboard=False, logging_level=logging.WARNING)
        return
    except Exception as error:
        # Ray raises no class of its own here.
        if starts == 1 or "timed out during startup" not in str(error):
            raise
    _LOGGER.warning("Ray found this machine too slow and gave up: starting it again")
    _start_here(num_cpus, starts=starts - 1)


def _knock(address: str) -> None:
    """Raises OSError when nothing listens at HOST:PORT: Ray itself would try for minutes without a word."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_KNOCK_TIMEOUT_S).close()


def place_ranks(config: RunConfig, stop: StopRequest) -> PlacementGroup:
    """Reserves one bundle a rank, and waits for it with a progress line.

    On CPU the ranks are spread, so that every node has one; on GPUs they are packed, nodes being full anyway.

    Raises:
        PlacementError: not all bundles were placed before `trainer.placement_timeout_s`.
        StoppedError: SIGTERM arrived meanwhile.
    """
    bundle: dict[str, float] = {"CPU": 1.0, "GPU": 1.0} if config.n_gpus_per_node else {"CPU": 1.0}
    group = placement_group([bundle] * config.world_size, strategy="PACK" if config.n_gpus_per_node else "SPREAD")
    started = time.monotonic()
    reported = started
    while not group.wait(1):
        stop.raise_if_arrived("while waiting for a place for every rank")
        now = time.monotonic()
        waited_s = now - started
        problem = f"{config.world_size} ranks want {_amounts(bundle)} each, and the cluster has {describe_nodes()}"
        if waited_s >= config.placement_timeout_s:
            raise PlacementError(
                f"no place for every rank after {waited_s:.0f} s: {problem}; add nodes, or lower trainer.nnodes "
                "or trainer.n_gpus_per_node"
            )
        if now - reported >= _PROGRESS_S:
            reported = now
            _LOGGER.info("waiting for a place for every rank, %.0f s: %s", waited_s, problem)
    return group


def describe_nodes() -> str:
    """What each living node offers, for messages."""
    nodes: list[dict[str, Any]] = [node for node in ray.nodes() if node["Alive"]]
    offers = [f"{node['NodeManagerAddress']} with {_amounts(node['Resources'])}" for node in nodes]
    return f"{len(nodes)} nodes: {', '.join(sorted(offers))}"


def _amounts(resources: dict[str, float]) -> str:
    return " and ".join(f"{resources.get(kind, 0.0):g} {kind}" for kind in ("CPU", "GPU") if kind in resources)
