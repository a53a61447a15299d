"""Ray on this node: one `ray start --block` as a child, until it is stopped.

Never `ray stop`: it ends every Ray on the machine, and two pods may share one (tests, `rlinf-eks local`).
"""

import ipaddress
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import log, open_files, ports
from .exit_codes import BootstrapError, ExitCode
from .pod import Pod
from .processes import Child, Processes
from .run_config import RunConfig

logger = log.of_step("ray")

_POLL_S = 0.25
_PROGRESS_S = 10.0
_SIGN_OFF_S = 1.0
# An AF_UNIX path has at most 107 bytes, and this is what Ray adds to its folder.
_FOLDER_MAX_BYTES = 107 - len("/session_2026-11-30_11-29-07_174210_1234567/sockets/plasma_store.10")
_STARTED = "Ray runtime started"
# Ray allows 30 s for its own parts, which no variable changes.
_TOO_SLOW = "timed out during startup"
_AUTH_FAILURES = ("InvalidAuthToken", "AuthenticationError", "Unauthenticated")


class RayProcess:
    """One life of Ray on this node."""

    def __init__(self, processes: Processes, config: RunConfig, pod: Pod) -> None:
        self._processes = processes
        self._config = config
        self._pod = pod
        self._folder: Path | None = None
        self._child: Child | None = None
        self._heard: set[str] = set()

    def start(self, *, is_ready: Callable[[], bool] | None = None) -> None:
        """Starts the head (rank 0) or joins it, and waits until Ray is ready; one that gives up is started again.

        Args:
            is_ready: when Ray counts as ready; by default when `ray start` says so.

        Raises:
            BootstrapError: (`RAY_AUTH`, `RAY_FAILED`) Ray refused the token, ended, or is not ready within start_s; or
                one of its ports is taken.
        """
        open_files.raise_limit()
        self._begin()
        self._wait_until(lambda: _STARTED in self._heard and (is_ready is None or is_ready()))

    def _begin(self) -> None:
        ports.wait_until_free(self._ports(), self._processes.sleep)
        self._heard.clear()
        self._folder = _make_folder(os.environ)
        try:
            self._child = self._processes.start(
                self._command(self._folder), environ=_environ(os.environ), on_line=self._listen
            )
        except OSError as error:
            raise BootstrapError(
                ExitCode.RAY_FAILED, f"cannot run 'ray' ({error}): use an image with ray[default] 2.52 or later on PATH"
            ) from error

    def _listen(self, line: str) -> None:
        self._heard.update(words for words in (_STARTED, _TOO_SLOW, *_AUTH_FAILURES) if words in line)

    def _wait_until(self, is_ready: Callable[[], bool]) -> None:
        start_s = self._config.deadlines.start_s
        began_s = time.monotonic()
        next_line_s = began_s + _PROGRESS_S
        while not is_ready():
            now_s = time.monotonic()
            is_over = now_s - began_s >= start_s
            if self._has_given_up() and not is_over:
                logger.warning("Ray found this node too slow and gave up: starting it again")
                self.stop(sign_off=False)
                self._begin()
            self.check_alive()
            state = f"Ray {self._state()} after {now_s - began_s:.0f} s"
            if is_over:
                raise self._failure(ExitCode.RAY_FAILED, f"{state} (training.deadlines.startSeconds)")
            if now_s >= next_line_s:
                logger.info("%s", state)
                next_line_s += _PROGRESS_S
            self._processes.sleep(_POLL_S)

    def _has_given_up(self) -> bool:
        assert self._child is not None
        return self._child.exit_status() is not None and _TOO_SLOW in self._heard

    def _state(self) -> str:
        """What is still missing."""
        if _STARTED not in self._heard:
            return "has not started"
        dashboard = address(self._pod.ip, self._config.ray.dashboard_port)
        return f"has started, but its dashboard at {dashboard} does not show this node"

    def check_alive(self) -> None:
        """Looks after Ray's process.

        Raises:
            BootstrapError: (`RAY_AUTH`, `RAY_FAILED`) the token was refused, or Ray ended.
        """
        assert self._child is not None
        # Ray would go on trying for 20 s.
        if not self._heard.isdisjoint(_AUTH_FAILURES):
            raise self._failure(
                ExitCode.RAY_AUTH,
                "Ray's head refused this pod's token: RAY_AUTH_TOKEN must come from the same Secret in every pod",
            )
        status = self._child.exit_status()
        if status is not None:
            raise self._failure(
                ExitCode.RAY_FAILED, f"Ray on this node ended with status {status}: read its last lines"
            )

    def stop(self, *, sign_off: bool) -> None:
        """Ends this Ray and nothing else, and removes its folder.

        Args:
            sign_off: whether Ray shall tell its head, which otherwise finds out by health checks in about 15 s.
        """
        if self._child is not None:
            self._processes.stop(self._child, within_s=_SIGN_OFF_S if sign_off else 0.0)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _failure(self, exit_code: ExitCode, sentence: str) -> BootstrapError:
        assert self._child is not None
        return BootstrapError(exit_code, sentence, details=tuple(self._child.tail))

    def _command(self, folder: Path) -> list[str]:
        config, pod = self._config, self._pod
        command = [
            "ray",
            "start",
            f"--node-ip-address={pod.ip}",
            f"--node-name={pod.name}",
            f"--num-cpus={config.ray.num_cpus}",
            f"--num-gpus={config.nodes.gpus}",
            f"--temp-dir={folder}",
            # Any free port instead of 10002-19999 and 52365, so that two pods can share a machine.
            "--min-worker-port=0",
            "--max-worker-port=0",
            "--dashboard-agent-listen-port=0",
            f"--metrics-export-port={self._metrics_port}",
            "--log-style=record",
            "--log-color=false",
            "--block",
        ]
        if pod.rank > 0:
            return [*command, f"--address={address(config.ray.head_host, config.ray.port)}"]
        return [
            *command,
            "--head",
            f"--port={config.ray.port}",
            f"--dashboard-host={self._dashboard_host}",
            f"--dashboard-port={config.ray.dashboard_port}",
            # Ray Client cannot be left out; its usual 10001 would clash with another head on the machine.
            f"--ray-client-server-port={ports.free(pod.ip)}",
            # The autoscaler's monitor has nothing to do here (KubeRay leaves it out as well).
            "--no-monitor",
        ]

    @property
    def _shares_a_machine(self) -> bool:
        """Whether other pods have this machine's ports too (tests, `rlinf-eks local`): their addresses are loopback."""
        return ipaddress.ip_address(self._pod.ip).is_loopback

    @property
    def _dashboard_host(self) -> str:
        """All addresses, for `kubectl port-forward`; but never beyond the machine when it stands for the pods."""
        return self._pod.ip if self._shares_a_machine else _every_address(self._pod.ip)

    @property
    def _metrics_port(self) -> int:
        """Any (0) where another pod of this machine has the run's, on all addresses."""
        return 0 if self._shares_a_machine and self._pod.rank > 0 else self._config.ray.metrics_port

    def _ports(self) -> Sequence[ports.Port]:
        """Those that must be free: without one Ray starts, but no dashboard; or says only that something timed out."""
        metrics = ports.Port("ray.metricsPort", _every_address(self._pod.ip), self._metrics_port)
        of_the_head = (
            ports.Port("ray.port", self._pod.ip, self._config.ray.port),
            ports.Port("ray.dashboardPort", self._dashboard_host, self._config.ray.dashboard_port),
        )
        return (*of_the_head, metrics) if self._pod.rank == 0 else (metrics,)


def address(host: str, port: int) -> str:
    """`host:port`, with an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _every_address(ip: str) -> str:
    """What a server listens on to be reached at all addresses of the pod; those of IPv4 leave one of IPv6 out."""
    return "::" if ipaddress.ip_address(ip).version == 6 else "0.0.0.0"  # noqa: S104 - the network policy closes it


def _environ(environ: Mapping[str, str]) -> dict[str, str]:
    ours = {
        "PYTHONUNBUFFERED": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        # Ray 2.60 answers SIGTERM by draining the node for 30 s; the bootstrap has its own order of ending.
        "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",
        # The stacks of an engine that hangs (following/stacks.py); whoever may ask can submit jobs as well.
        "RAY_DASHBOARD_ENABLE_PROFILING": "1",
    }
    # An address left over in the environment would make the head a client of another cluster.
    return {key: value for key, value in environ.items() if key != "RAY_ADDRESS"} | ours


def _make_folder(environ: Mapping[str, str]) -> Path:
    """A fresh folder: Ray takes what an earlier life left in it for a cluster that still runs.

    Workers of Ray 2.52 ignore it and make one with the head's path, which two pods on one machine then share.
    """
    base = environ.get("RAY_TMPDIR") or environ.get("TMPDIR") or "/tmp"  # noqa: S108
    if len(os.fsencode(base)) + len("/r12345678") > _FOLDER_MAX_BYTES:
        base = "/tmp"  # noqa: S108
    return Path(tempfile.mkdtemp(prefix="r", dir=base))
