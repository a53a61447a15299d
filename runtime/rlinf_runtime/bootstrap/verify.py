"""`helm test`: whether the run is well, asked from a pod of its own."""

import os
from collections.abc import Collection

from . import log
from .cluster import Cluster
from .dashboard import Dashboard
from .exit_codes import BootstrapError, ExitCode
from .following.mlflow_server import MlflowError, MlflowServer, address_in
from .node import Node
from .preflight import checks
from .preflight.preflight import run_checks
from .processes import Processes
from .ray_process import address
from .roster import AtRest, Counted
from .run_config import RunConfig
from .run_folder import RunFolder

logger = log.of_step("verify")

_DEADLINE_S = 60.0


def verify(config: RunConfig, *, token: str | None, folder: RunFolder, processes: Processes) -> None:
    """Sees that run folder and MLflow can be used, and that the run has finished or all its nodes and GPUs are there.

    Raises:
        BootstrapError: what is wrong.
    """
    folder.check()
    logger.info("the run folder %s can be written, and files renamed in it", config.folder)
    _check_mlflow()
    if folder.is_finished():
        logger.info("this run is finished: %s has its digest", config.folder)
        return
    run_checks(config, checks.OF_THE_RUN, processes)
    cluster = Cluster(Dashboard(address(config.ray.head_host, config.ray.dashboard_port), token=token))
    roster = AtRest() if config.ray.autoscaled else Counted(config.nodes.count)
    nodes = cluster.wait_for(roster, processes, deadline_s=_DEADLINE_S, check=lambda: None)
    logger.info("all %d nodes are there: %s", len(nodes), ", ".join(sorted(node.name for node in nodes)))
    if config.ray.autoscaled:
        logger.info("Ray's autoscaler adds others up to %d when a run asks for them", config.nodes.count)
    _check_gpus(config, Counted(config.nodes.count).of(nodes))


def _check_mlflow() -> None:
    where = address_in(os.environ)
    if where is None:
        return
    try:
        MlflowServer(where, os.environ).check()
    except MlflowError as error:
        raise BootstrapError(
            ExitCode.PREFLIGHT,
            f"tracking.mlflow.trackingUri is {where}, but metrics cannot be sent there ({error}): correct the address, "
            "or the credentials that secrets.mlflow names, or let the server's --allowed-hosts name its host",
        ) from error
    logger.info("MLflow answers at %s", where)


def _check_gpus(config: RunConfig, nodes: Collection[Node]) -> None:
    """Compares Ray's GPUs with the run's; a rank without one would wait for ever."""
    lacking = [f"{node.name} has {node.num_gpus:g}" for node in nodes if node.num_gpus < config.nodes.gpus]
    if lacking:
        raise BootstrapError(
            ExitCode.PREFLIGHT,
            f"nodes.gpus is {config.nodes.gpus}, but of Ray's nodes {', '.join(lacking)}: look at the limits of these "
            "pods, which may be older than this run",
        )
    if config.nodes.gpus:
        logger.info("each of them has %d GPUs for Ray", config.nodes.gpus)
