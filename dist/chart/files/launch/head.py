"""The head: start Ray, wait for every node, run the engine on them, mark the run as finished."""

import os

from . import log
from .cluster import Cluster
from .dashboard import Dashboard
from .engine_runs import EngineRuns
from .pod import Pod
from .processes import Processes
from .ray_process import RayProcess, address
from .roster import Named
from .run_config import RunConfig
from .run_folder import RunFolder
from .sole_writer import writer_name


class Head:
    """The head's part of a run."""

    def __init__(
        self, config: RunConfig, pod: Pod, folder: RunFolder, processes: Processes, watch: log.Stopwatch
    ) -> None:
        self._folder = folder
        self._watch = watch
        self._itself = Named([pod.name])
        self._ray = RayProcess(processes, config, pod)
        self._cluster = Cluster(Dashboard(address(pod.ip, config.ray.dashboard_port), token=pod.token))
        self._engine = EngineRuns(
            config,
            self._cluster,
            Named(pod.peers(config.nodes.count)),
            processes,
            watch,
            ray_address=address(pod.ip, config.ray.port),
            writer=writer_name(os.environ),
            check=self._ray.check_alive,
        )

    def run(self) -> None:
        """Runs the engine to its good end and writes the marker; Ray is stopped however it ends.

        Raises:
            BootstrapError: it did not come to a good end.
        """
        try:
            with self._watch.step("ray", "head started", ours=False):
                self._ray.start(is_ready=self._is_there)
            self._engine.until_done()
            self._folder.mark_finished()
        finally:
            with self._watch.step("ray", "stopped", ours=True):
                self._ray.stop(sign_off=False)

    def _is_there(self) -> bool:
        return self._itself.is_complete(self._cluster.alive_or_none() or [])
