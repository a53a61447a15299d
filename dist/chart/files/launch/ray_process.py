"""Ray on this node: one `ray start --block` as a child, until it is stopped.

Never `ray stop`: it ends every Ray on the machine, and two pods may share one (tests, `rlinf-eks local`).
"""

import ipaddress
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from . import open_files
from .exit_codes import BootstrapError, ExitCode
from .pod import Pod
from .processes import Child, Processes
from .run_config import RunConfig

_POLL_S = 0.25
_SIGN_OFF_S = 1.0
# An AF_UNIX path has at most 107 bytes, and this is what Ray adds to its folder.
_FOLDER_MAX_BYTES = 107 - len("/session_2026-11-30_11-29-07_174210_1234567/sockets/plasma_store.10")
_AUTH_FAILURES = ("InvalidAuthToken", "AuthenticationError", "Unauthenticated")


class RayProcess:
    """One life of Ray on this node."""

    def __init__(self, processes: Processes, config: RunConfig, pod: Pod) -> None:
        self._processes = processes
        self._config = config
        self._pod = pod
        self._folder: Path | None = None
        self._child: Child | None = None

    def start(self, *, is_ready: Callable[[], bool] | None = None) -> None:
        """Starts the head (rank 0) or joins it, and waits until Ray is ready.

        Args:
            is_ready: when Ray counts as ready; by default when `ray start` says so.

        Raises:
            BootstrapError: (`RAY_AUTH`, `RAY_FAILED`) Ray refused the token, ended, or is not ready within start_s.
        """
        open_files.raise_limit()
        self._folder = _make_folder(os.environ)
        try:
            self._child = self._processes.start(self._command(self._folder), environ=_environ(os.environ))
        except OSError as error:
            raise BootstrapError(
                ExitCode.RAY_FAILED, f"cannot run 'ray' ({error}): use an image with ray[default] 2.52 or later on PATH"
            ) from error
        start_s = self._config.deadlines.start_s
        until_s = time.monotonic() + start_s
        while not (self._says("Ray runtime started") and (is_ready is None or is_ready())):
            self.check_alive()
            if time.monotonic() >= until_s:
                raise self._failure(
                    ExitCode.RAY_FAILED, f"Ray is not ready after {start_s} s (training.deadlines.startSeconds)"
                )
            self._processes.sleep(_POLL_S)

    def check_alive(self) -> None:
        """Looks after Ray's process.

        Raises:
            BootstrapError: (`RAY_AUTH`, `RAY_FAILED`) the token was refused, or Ray ended.
        """
        assert self._child is not None
        # Ray would go on trying for 20 s.
        if any(self._says(failure) for failure in _AUTH_FAILURES):
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

    def _says(self, words: str) -> bool:
        assert self._child is not None
        return any(words in line for line in tuple(self._child.tail))

    def _failure(self, exit_code: ExitCode, sentence: str) -> BootstrapError:
        assert self._child is not None
        return BootstrapError(exit_code, sentence, details=tuple(self._child.tail))

    def _command(self, folder: Path) -> list[str]:
        config, pod = self._config, self._pod
        # Pods that share a machine (tests, `rlinf-eks local`) have loopback addresses.
        shares_a_machine = ipaddress.ip_address(pod.ip).is_loopback
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
            # It listens on all addresses, and Ray ends where another pod has the port already.
            f"--metrics-export-port={0 if shares_a_machine and pod.rank > 0 else config.ray.metrics_port}",
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
            # All addresses, for `kubectl port-forward`; but never beyond the machine when it stands for the pods.
            f"--dashboard-host={pod.ip if shares_a_machine else _every_address(pod.ip)}",
            f"--dashboard-port={config.ray.dashboard_port}",
            # Ray Client cannot be left out; its usual 10001 would clash with another head on the machine.
            f"--ray-client-server-port={_free_port()}",
            # The autoscaler's monitor has nothing to do here (KubeRay leaves it out as well).
            "--no-monitor",
        ]


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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]
