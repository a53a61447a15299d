"""A job on a Ray cluster that others started, such as KubeRay: wait for its nodes, run the engine, mark the end."""

import os
import secrets
from collections.abc import Mapping

from . import log
from .cluster import Cluster
from .dashboard import Dashboard
from .engine_runs import EngineRuns
from .exit_codes import BootstrapError, ExitCode
from .held_nodes import held_nodes
from .processes import Processes
from .ray_process import address
from .roster import Counted
from .run_config import RunConfig
from .run_folder import RunFolder
from .sole_writer import writer_name


class Submit:
    """The part of the process that `ray job submit` runs on the cluster's head."""

    def __init__(self, config: RunConfig, folder: RunFolder, processes: Processes, watch: log.Stopwatch) -> None:
        """Finds the cluster.

        Raises:
            BootstrapError: (`CONFIG`) this process is no job of a Ray cluster.
        """
        ray_address = _ray_address(os.environ)
        dashboard = address(ray_address.rpartition(":")[0].strip("[]"), config.ray.dashboard_port)
        cluster = Cluster(Dashboard(dashboard, token=os.environ.get("RAY_AUTH_TOKEN")))
        roster = Counted(config.nodes.count)
        self._config = config
        self._folder = folder
        self._processes = processes
        self._ray_address = ray_address
        self._engine = EngineRuns(
            config,
            cluster,
            roster,
            processes,
            watch,
            ray_address=ray_address,
            # A second job of the same pod is another writer.
            writer=writer_name(os.environ, job=secrets.token_hex(3)),
            check=lambda: None,
        )

    def run(self) -> None:
        """Runs the engine to its good end and writes the marker.

        Raises:
            BootstrapError: it did not come to a good end.
        """
        with held_nodes(self._config, self._processes, ray_address=self._ray_address):
            self._engine.until_done()
        self._folder.mark_finished()


def _ray_address(environ: Mapping[str, str]) -> str:
    """The head's GCS, as Ray tells the jobs that it runs."""
    text = environ.get("RAY_ADDRESS", "")
    if not text.rpartition(":")[2].isdecimal():
        raise BootstrapError(
            ExitCode.CONFIG,
            f"RAY_ADDRESS is {text!r}, but must be HOST:PORT of a Ray head: run this role as a job of the cluster, "
            "as in `ray job submit -- exec sh /opt/rlinf/launch/launch.sh submit`",
        )
    return text
