"""`helm test`: whether the run is well, asked from a pod of its own."""

from . import log
from .cluster import Cluster
from .dashboard import Dashboard
from .processes import Processes
from .ray_process import address
from .roster import Counted
from .run_config import RunConfig
from .run_folder import RunFolder

logger = log.of_step("verify")

_DEADLINE_S = 60.0


def verify(config: RunConfig, *, token: str | None, folder: RunFolder, processes: Processes) -> None:
    """Sees that the run folder can be used, and that the run has finished or all its nodes are there.

    Raises:
        BootstrapError: what is wrong.
    """
    folder.check()
    logger.info("the run folder %s can be written, and files renamed in it", config.folder)
    if folder.is_finished():
        logger.info("this run is finished: %s has its digest", config.folder)
        return
    cluster = Cluster(Dashboard(address(config.ray.head_host, config.ray.dashboard_port), token=token))
    nodes = cluster.wait_for(Counted(config.nodes.count), processes, deadline_s=_DEADLINE_S, check=lambda: None)
    logger.info("all %d nodes are there: %s", config.nodes.count, ", ".join(sorted(node.name for node in nodes)))
