"""A container as a process of this machine, restarted as kubelet restarts it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rlinf_charts.local import shim
from rlinf_charts.local.paths import PodFolders, Rewriter
from rlinf_charts.local.pods import Container, Pod

GRACE_S = 3.5
"""From SIGTERM to SIGKILL: Ctrl-C promises to be through within 5 s."""
MAX_RESTARTS = 3
_SWEEP_S = 1.0

# What a process may know of this machine; everything else comes from the manifests.
_INHERITED = ("CUDA_VISIBLE_DEVICES", "HOME", "LANG", "LD_LIBRARY_PATH", "MUJOCO_GL", "TZ", "USER")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessPlan:
    """A container's command with this machine's paths and addresses."""

    pod: str
    title: str
    """The pod's name, with the container's where it is not the main one."""
    is_init: bool
    """Whether the pod's other containers wait for its end."""
    argv: list[str]
    env: Mapping[str, str]
    working_dir: Path
    log: Path
    termination_log: Path


def plan_process(
    pod: Pod, container: Container, *, root: Path, logs_dir: Path, folders: PodFolders, rewrite: Rewriter
) -> ProcessPlan:
    """Rewrite a container's command and environment for this machine.

    Args:
        pod: The container's pod.
        container: The container.
        root: The pod's own folder.
        logs_dir: Where its output goes, into a file of its own.
        folders: The pod's folders; the one at /tmp becomes TMPDIR.
        rewrite: Rewrites the pod's mount paths and the chart's host names.
    """
    title = pod.name if container is pod.containers[0] else f"{pod.name}-{container.name}"
    tmp = folders.mounts.get("/tmp", root / "tmp")  # noqa: S108 - the path in the container
    return ProcessPlan(
        pod=pod.name,
        title=title,
        is_init=container in pod.init_containers,
        argv=[rewrite(word) for word in container.argv],
        env=_base_environment()
        | {"HOSTNAME": pod.name, "TMPDIR": str(tmp)}
        | {name: rewrite(value) for name, value in container.env.items()},
        working_dir=Path(rewrite(container.working_dir)) if container.working_dir else root,
        log=logs_dir / f"{title}.log",
        termination_log=Path(rewrite(container.termination_log)),
    )


def _base_environment() -> dict[str, str]:
    """A small, clean environment in which `python3` is this interpreter's."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {"LANG": "C.UTF-8", "MUJOCO_GL": "egl"} | inherited | {"PATH": path}


class ContainerProcess:
    """Starts a container, restarts it after a failure with a growing delay, and stops it.

    Attributes:
        plan: What runs.
        restarts: How many times it was started again.
        exit_code: Of the last end; None before the first.
    """

    def __init__(self, plan: ProcessPlan, *, after: Sequence[ContainerProcess] = (), lock_fd: int) -> None:
        self.plan = plan
        self._after = after
        self.restarts = 0
        self.exit_code: int | None = None
        self._lock_fd = lock_fd
        self._shim: subprocess.Popen[bytes] | None = None
        self._restart_at = 0.0

    @property
    def ended(self) -> bool:
        """Whether it ended well; Kubernetes would start it again, here there is nothing left to do."""
        return self._shim is None and self.exit_code == 0

    @property
    def failed(self) -> bool:
        """Whether it failed for good."""
        return self._shim is None and bool(self.exit_code) and self.restarts == MAX_RESTARTS

    @property
    def state(self) -> str:
        """One word or two for people."""
        if self._shim:
            return "running"
        if self.exit_code is None:
            return "starting" if all(process.ended for process in self._after) else "waiting"
        if self.ended:
            return "ended"
        return "failed" if self.failed else f"restarting (exit {self.exit_code})"

    def poll(self) -> None:
        """Notice an end, and start the container when its time has come; call it a few times a second."""
        if self._shim:
            code = self._shim.poll()
            if code is None:
                return
            self._shim, self.exit_code = None, code
            self._restart_at = time.monotonic() + 2**self.restarts
        if self.exit_code is None:
            if all(process.ended for process in self._after):
                self._start()
        elif not (self.ended or self.failed) and time.monotonic() >= self._restart_at:
            self.restarts += 1
            self._start()

    def terminate(self) -> None:
        """Ask the container to stop: SIGTERM, and SIGKILL to all of its processes `GRACE_S` later."""
        if self._shim:
            self._shim.terminate()

    def wait(self, timeout_s: float) -> None:
        """Wait for the end that `terminate` asked for; after the timeout, kill the shim and with it the container."""
        if self._shim is None:
            return
        try:
            self._shim.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._shim.kill()
            self._shim.wait()
        self._shim = None

    def reason(self) -> str:
        """Why it failed: its termination message, or the last lines of its log (as kubelet falls back to)."""
        message = self.plan.termination_log.read_text(encoding="utf-8", errors="replace").strip()
        return message or "\n".join(last_lines(self.plan.log, 5))

    def _start(self) -> None:
        # Kubelet makes an empty file, and containers write only where one is.
        self.plan.termination_log.parent.mkdir(parents=True, exist_ok=True)
        self.plan.termination_log.write_text("", encoding="utf-8")
        with self.plan.log.open("ab") as log:
            self._shim = subprocess.Popen(
                [sys.executable, "-I", "-S", shim.__file__, str(os.getpid()), str(GRACE_S), *self.plan.argv],
                env=dict(self.plan.env),
                cwd=self.plan.working_dir,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # The run directory stays locked until the last shim has gone, even when `local` is killed.
                pass_fds=[self._lock_fd],
            )


def start_in_order(plans: Sequence[ProcessPlan], *, lock_fd: int) -> list[ContainerProcess]:
    """The processes of containers, each of which waits for the init containers of its pod before it.

    Returns:
        The main containers and sidecars, then the init containers.
    """
    processes: list[ContainerProcess] = []
    for plan in plans:
        after = [process for process in processes if process.plan.is_init and process.plan.pod == plan.pod]
        processes.append(ContainerProcess(plan, after=after, lock_fd=lock_fd))
    return sorted(processes, key=lambda process: process.plan.is_init)


def stop(processes: list[ContainerProcess]) -> None:
    """Stop all containers together."""
    deadline = time.monotonic() + GRACE_S + _SWEEP_S
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(max(0.0, deadline - time.monotonic()))


def last_lines(log: Path, count: int) -> list[str]:
    """Return the last lines of a log that are not empty."""
    if not log.exists():
        return []
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 8192))
        lines = file.read().decode(errors="replace").splitlines()
    return [line for line in lines if line.strip()][-count:]
