"""The head: start Ray, wait for every node, run the engine on them, mark the run as finished."""

import os
import time
from collections.abc import Sequence

from . import engine, log, ready
from .cluster import Cluster, Node, complete, unreachable
from .exit_codes import BootstrapError, ExitCode
from .pod import Pod
from .processes import Child, Processes
from .ray_process import RayProcess, address
from .run_config import RunConfig
from .run_folder import RunFolder

logger = log.of_step("engine")

# A third loss in one life of this pod speaks of the machines: kubelet's back-off shall pace what follows.
_ENGINE_ATTEMPTS = 3
_WATCH_S = 5.0
_POLL_S = 1.0
# When a pod is killed, the engine may fail some moments before the pod's raylet is gone.
_LOSS_SHOWS_WITHIN_S = 3.0


class Head:
    """The head's part of a run."""

    def __init__(
        self, config: RunConfig, pod: Pod, folder: RunFolder, processes: Processes, watch: log.Stopwatch
    ) -> None:
        self._config = config
        self._pod = pod
        self._folder = folder
        self._processes = processes
        self._watch = watch
        self._names = pod.peers(config.nodes.count)
        self._ray = RayProcess(processes, config, pod)
        self._cluster = Cluster(dashboard=address(pod.ip, config.ray.dashboard_port), token=pod.token)
        self._command = engine.command(config)

    def run(self) -> None:
        """Runs the engine to its good end and writes the marker; Ray is stopped however it ends.

        Raises:
            BootstrapError: it did not come to a good end.
        """
        try:
            with self._watch.step("ray", "head started", ours=False):
                self._ray.start(is_ready=self._head_is_there)
            self._run_engine_until_done()
            self._folder.mark_finished()
            log.of_step("finish").info("the run is finished")
        finally:
            with self._watch.step("ray", "stopped", ours=True):
                self._ray.stop(sign_off=False)

    def _head_is_there(self) -> bool:
        return complete(self._cluster.alive_or_none() or [], [self._pod.name])

    def _run_engine_until_done(self) -> None:
        for attempt in range(1, _ENGINE_ATTEMPTS + 1):
            with self._watch.step("wait", f"for all {len(self._names)} nodes", ours=False):
                nodes = self._cluster.wait_for(
                    self._names,
                    self._processes,
                    deadline_s=self._config.deadlines.join_s,
                    check=self._ray.check_alive,
                )
            ready.mark()
            logger.info("attempt %d of %d", attempt, _ENGINE_ATTEMPTS)
            with self._watch.step("engine", "ended", ours=False):
                lost = self._run_engine(nodes)
            if not lost:
                return
            ready.unmark()
            logger.warning("lost %s; the engine goes on from its last checkpoint when it is back", ", ".join(lost))
        raise BootstrapError(
            ExitCode.NODE_LOST,
            f"lost a node {_ENGINE_ATTEMPTS} times: look for evicted or killed pods, memory above all",
        )

    def _run_engine(self, nodes: Sequence[Node]) -> list[str]:
        """Runs the engine once; returns the names of nodes lost on the way, none if it ended well."""
        child = self._start_engine()
        try:
            lost = self._follow(child, nodes)
            if not lost and child.exit_status() != 0:
                lost = self._lost_since(nodes)
        finally:
            self._end_engine(child)
        status = child.exit_status()
        if lost or status == 0:
            return lost
        how = f"was killed by signal {-status}" if status is not None and status < 0 else f"ended with status {status}"
        raise BootstrapError(
            ExitCode.ENGINE_FAILED, f"the engine {how}: read its last lines", details=tuple(child.tail)
        )

    def _start_engine(self) -> Child:
        # Without RAY_ADDRESS a driver takes the machine's latest cluster, or starts a fresh one of its own.
        environ = {
            **os.environ,
            "PYTHONUNBUFFERED": "1",
            "RAY_ADDRESS": address(self._pod.ip, self._config.ray.port),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        try:
            # In the run folder, where Hydra may write its own outputs.
            return self._processes.start(self._command, environ=environ, cwd=self._config.folder, on_line=logger.info)
        except OSError as error:
            raise BootstrapError(ExitCode.ENGINE_FAILED, f"cannot start the engine: {error}") from error

    def _end_engine(self, child: Child) -> None:
        grace_s = self._processes.grace_s()
        if child.exit_status() is None:
            logger.info("ending the engine, which has %.0f s to save", grace_s)
        self._processes.stop(child, within_s=grace_s)

    def _follow(self, child: Child, nodes: Sequence[Node]) -> list[str]:
        """Waits for the engine's end; returns early with the names of lost nodes."""
        look_at_s = time.monotonic() + _WATCH_S
        while child.exit_status() is None:
            self._processes.sleep(_POLL_S)
            self._ray.check_alive()
            if time.monotonic() >= look_at_s:
                if lost := self._cluster.gone(nodes):
                    return lost
                look_at_s = time.monotonic() + _WATCH_S
        return []

    def _lost_since(self, nodes: Sequence[Node]) -> list[str]:
        until_s = time.monotonic() + _LOSS_SHOWS_WITHIN_S
        while time.monotonic() < until_s:
            if lost := self._cluster.gone(nodes) or unreachable(nodes):
                return lost
            self._processes.sleep(_POLL_S)
        return []
