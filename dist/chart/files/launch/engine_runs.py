"""The engine on a complete cluster: started, followed, and started again when a node was lost and is back."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing

from . import log, ready
from .attempt import Attempt, preview
from .cluster import Cluster
from .engines.launch import launch
from .exit_codes import BootstrapError, ExitCode
from .following import stacks
from .following.follower import Follower
from .following.mlflow_relay import relaying
from .node import Node, unreachable
from .processes import Child, Processes
from .roster import Roster
from .run_config import RunConfig
from .sole_writer import sole_writer
from .staging.begin import begin

logger = log.of_step("engine")

# A third loss in one life of this pod speaks of the machines: kubelet's back-off shall pace what follows.
_ENGINE_ATTEMPTS = 3
_SAVE_WHEN_STOPPED = ("native",)
# A writer that was told to stop is gone `deadlines.stop_s` later, but for kubelet's own pace.
_STOPPED_AND_GONE_S = 30.0
_WATCH_S = 5.0
_POLL_S = 1.0
# When a pod is killed, the engine may fail some moments before the pod's raylet is gone.
_LOSS_SHOWS_WITHIN_S = 3.0


class EngineRuns:
    """All runs of the engine that one life of this pod makes."""

    def __init__(
        self,
        config: RunConfig,
        cluster: Cluster,
        roster: Roster,
        processes: Processes,
        watch: log.Stopwatch,
        *,
        ray_address: str,
        writer: str,
        check: Callable[[], None],
    ) -> None:
        """Sees that the engine's command can be said.

        Args:
            config: the run.
            cluster: the nodes that Ray knows.
            roster: the nodes that the engine needs.
            processes: starts the engine.
            watch: times the steps.
            ray_address: of the head's GCS.
            writer: by which others know who writes to the run folder.
            check: is called while waiting, to raise when there is nothing left to wait for.

        Raises:
            BootstrapError: (`CONFIG`) the engine's keys cannot be said.
        """
        self._config = config
        self._cluster = cluster
        self._roster = roster
        self._processes = processes
        self._watch = watch
        self._ray_address = ray_address
        self._writer = writer
        self._check = check
        launch(config, preview(config), os.environ)

    def until_done(self) -> None:
        """Runs the engine to its good end, alone in the run folder, while its metrics are relayed.

        Raises:
            BootstrapError: it did not come to a good end.
        """
        patience_s = self._config.deadlines.stop_s + _STOPPED_AND_GONE_S
        with (
            sole_writer(self._config.folder, name=self._writer, processes=self._processes, patience_s=patience_s),
            relaying(self._config, self._processes),
        ):
            self._until_done()

    def _until_done(self) -> None:
        for number in range(1, _ENGINE_ATTEMPTS + 1):
            with self._watch.step("wait", f"for all {self._roster.size} nodes", ours=False):
                nodes = self._cluster.wait_for(
                    self._roster, self._processes, deadline_s=self._config.deadlines.join_s, check=self._check
                )
            ready.mark()
            logger.info("attempt %d of %d", number, _ENGINE_ATTEMPTS)
            with self._watch.step("stage", "the engine's start", ours=True):
                attempt = begin(self._config)
            with self._watch.step("engine", "ended", ours=False):
                lost = self._run_once(nodes, attempt)
            if not lost:
                return
            ready.unmark()
            logger.warning("lost %s; the engine goes on from its last checkpoint when it is back", ", ".join(lost))
        raise BootstrapError(
            ExitCode.NODE_LOST,
            f"lost a node {_ENGINE_ATTEMPTS} times: look for evicted or killed pods, memory above all",
        )

    def _run_once(self, nodes: Sequence[Node], attempt: Attempt) -> list[str]:
        """Runs the engine once; returns the names of nodes lost on the way, none if it ended well."""
        with closing(Follower(self._config, attempt)) as follower:
            child = self._start(attempt, follower)
            try:
                lost = self._follow(child, follower, nodes)
                if not lost and child.exit_status() != 0:
                    lost = self._lost_since(nodes)
            finally:
                self._end(child)
            status = child.exit_status()
            if status == 0 and not lost:
                follower.check_end()
        if lost or status == 0:
            return lost
        how = f"was killed by signal {-status}" if status is not None and status < 0 else f"ended with status {status}"
        raise BootstrapError(
            ExitCode.ENGINE_FAILED, f"the engine {how}: read its last lines", details=tuple(child.tail)
        )

    def _start(self, attempt: Attempt, follower: Follower) -> Child:
        start = launch(self._config, attempt, os.environ)

        def on_line(line: str) -> None:
            logger.info("%s", line)
            follower.hear(line)

        # Without RAY_ADDRESS a driver takes the machine's latest cluster, or starts a fresh one of its own.
        environ = {
            **os.environ,
            **start.environment,
            "PYTHONUNBUFFERED": "1",
            "RAY_ADDRESS": self._ray_address,
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        try:
            start.write_files()
            return self._processes.start(start.command, environ=environ, cwd=start.folder, on_line=on_line)
        except OSError as error:
            raise BootstrapError(ExitCode.ENGINE_FAILED, f"cannot start the engine: {error}") from error

    def _end(self, child: Child) -> None:
        grace_s = self._processes.grace_s()
        if child.exit_status() is None and self._config.engine.name in _SAVE_WHEN_STOPPED:
            logger.info("ending the engine, which has %.0f s to save", grace_s)
        elif child.exit_status() is None:
            logger.info("ending the engine; %s saves nothing when it is told to stop", self._config.engine.name)
        self._processes.stop(child, within_s=grace_s)

    def _follow(self, child: Child, follower: Follower, nodes: Sequence[Node]) -> list[str]:
        """Waits for the engine's end; returns early with the names of lost nodes."""
        look_at_s = time.monotonic() + _WATCH_S
        while child.exit_status() is None:
            self._processes.sleep(_POLL_S)
            self._check()
            self._check_progress(child, follower)
            if time.monotonic() >= look_at_s:
                if lost := self._cluster.gone(nodes):
                    return lost
                look_at_s = time.monotonic() + _WATCH_S
        return []

    def _check_progress(self, child: Child, follower: Follower) -> None:
        try:
            follower.check()
        except BootstrapError as error:
            if error.exit_code is ExitCode.STALLED:
                stacks.log_all(self._cluster.dashboard, child)
            raise

    def _lost_since(self, nodes: Sequence[Node]) -> list[str]:
        until_s = time.monotonic() + _LOSS_SHOWS_WITHIN_S
        while time.monotonic() < until_s:
            if lost := self._cluster.gone(nodes) or unreachable(nodes):
                return lost
            self._processes.sleep(_POLL_S)
        return []
