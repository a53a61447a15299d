"""Nodes of an autoscaled cluster, asked for and kept while a run needs them.

Ray's autoscaler adds nodes for a placement group that does not fit, and removes nodes on which nothing is reserved. So
a driver of its own reserves next to nothing on as many different nodes as the run has. When that process dies, in
whatever way, Ray drops the reservation, and nodes without work go.
"""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from . import log
from .engines.carried import FOLDER, PACKAGE, python_path
from .processes import Processes
from .run_config import RunConfig

logger = log.of_step("wait")

_END_S = 5.0
_POLL_S = 10.0
# Not CPUs: an engine may ask for all of them. Every group of pods has memory, if only from its request.
_NEXT_TO_NOTHING = {"memory": 1}


@contextmanager
def held_nodes(config: RunConfig, processes: Processes, *, ray_address: str) -> Generator[None]:
    """Asks an autoscaled cluster for the run's nodes, and keeps them; another cluster has them by itself.

    Args:
        config: the run.
        processes: starts the driver.
        ray_address: of the head's GCS.
    """
    if not config.ray.autoscaled:
        yield
        return
    logger.info("asking Ray's autoscaler for %d nodes", config.nodes.count)
    environ = {
        **os.environ,
        "PYTHONPATH": python_path("", os.environ),
        "RAY_ADDRESS": ray_address,
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    command = [sys.executable, "-m", f"{PACKAGE}.held_nodes", str(config.nodes.count)]
    child = processes.start(command, environ=environ, cwd=FOLDER, on_line=lambda line: logger.info("%s", line))
    try:
        yield
    finally:
        processes.stop(child, within_s=_END_S)


def main(count: int) -> None:
    """Reserves and stays; asks again when Ray's head was away."""
    ray = import_module("ray")
    while True:
        try:
            _reserve(ray, count)
        except Exception as error:  # noqa: BLE001 - whatever Ray raises without its head
            sys.stdout.write(f"Ray reserves no {count} nodes, trying again: {' '.join(str(error).split())}\n")
            sys.stdout.flush()
        ray.shutdown()
        time.sleep(_POLL_S)


def _reserve(ray: Any, count: int) -> None:
    ray.init(address=os.environ["RAY_ADDRESS"], log_to_driver=False, logging_level="ERROR")
    # A head that takes no ranks has memory all the same.
    without_ranks = sum(node["Alive"] and not node["Resources"].get("CPU") for node in ray.nodes())
    bundles = [_NEXT_TO_NOTHING] * (count + without_ranks)
    group = import_module("ray.util").placement_group(bundles, name="held-nodes", strategy="STRICT_SPREAD")
    while True:
        group.wait(_POLL_S)
        time.sleep(_POLL_S)


if __name__ == "__main__":
    main(int(sys.argv[1]))
