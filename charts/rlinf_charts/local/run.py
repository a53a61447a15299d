"""`rlinf-eks local`, top to bottom: plan the pods, prepare the run, follow it, sum it up."""

import hashlib
import json
import os
import shutil
import signal
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.text import Text

from rlinf_charts.local.errors import LocalError
from rlinf_charts.local.machine import check_platform, check_renderer
from rlinf_charts.local.paths import PodFolders, Rewriter, claim_folders, pod_folders, write_volumes
from rlinf_charts.local.pods import Pod, plan_pods
from rlinf_charts.local.processes import ContainerProcess, ProcessPlan, plan_process, start_in_order, stop
from rlinf_charts.local.progress import ProgressReader
from rlinf_charts.local.run_folder import RunFolder, locked
from rlinf_charts.local.view import print_summary, shown, view

STALL_TIMEOUT_S = 600.0
"""A run whose status and pods have not changed for so long has failed."""

_POLL_S = 0.2


def run_locally(
    manifests: list[dict[str, Any]], *, run_dir: Path, namespace: str, fresh: bool | None, console: Console
) -> int:
    """Run the pods of a rendered chart as processes of this machine until the run has finished.

    Args:
        manifests: The chart, rendered.
        run_dir: The folder of the run's claim; the logs go there too.
        namespace: The namespace that the manifests were rendered for.
        fresh: True removes the run that is there, False goes on with it, None goes on with an unfinished one and
            leaves a finished one alone.
        console: Where people look.

    Returns:
        The exit code: 0 when the run has finished, 1 when it failed, 128 + N when signal N stopped it.

    Raises:
        LocalError: Before anything starts, for what local cannot run or a run directory that it cannot use.
    """
    check_platform()
    layout = plan_layout(plan_pods(manifests, namespace=namespace), run_dir=run_dir.resolve())
    for plan in layout.processes:
        check_renderer(plan.env["MUJOCO_GL"])
    with locked(layout.run_dir, layout.run) as lock_fd:
        if not _prepare_run(layout, fresh=fresh, console=console):
            return 0
        try:
            _write_pods(layout)
            return _follow(layout, lock_fd=lock_fd, console=console)
        finally:
            shutil.rmtree(layout.root, ignore_errors=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """Everything that the pods get on this machine."""

    run_dir: Path
    root: Path
    """Folder of what lives as long as the pods: emptyDirs, ConfigMaps, Secrets."""
    run: RunFolder
    pods: Sequence[tuple[Pod, PodFolders, Rewriter]]
    processes: Sequence[ProcessPlan]

    @property
    def logs_dir(self) -> Path:
        """The folder of the pods' logs."""
        return self.run_dir / "logs"


def plan_layout(pods: Sequence[Pod], *, run_dir: Path) -> Layout:
    """Decide where everything lies; touches nothing.

    Raises:
        LocalError: For a run directory that texts cannot hold, impossible mounts, or a chart without run.json.
    """
    if set(str(run_dir)) & set("\"'\\\n$`"):
        raise LocalError(f"--run-dir {run_dir}: quotes, backslashes, newlines, $ and ` would break the run's files")
    root = _temporary_root(run_dir)
    claims = claim_folders(pods, run_dir)
    addresses = {name: pod.ip for pod in pods for name in pod.host_names}
    placed: list[tuple[Pod, PodFolders, Rewriter]] = []
    processes: list[ProcessPlan] = []
    for index, pod in enumerate(pods):
        pod_root = root / str(index)
        folders = pod_folders(pod, root=pod_root, claims=claims)
        logs = {container.termination_log: str(pod_root / "termination-log") for container in pod.all_containers}
        mounts = {path: str(folder) for path, folder in folders.mounts.items()}
        rewrite = Rewriter(folders=logs | mounts, addresses=addresses)
        placed.append((pod, folders, rewrite))
        processes.extend(
            plan_process(pod, container, root=pod_root, logs_dir=run_dir / "logs", folders=folders, rewrite=rewrite)
            for container in pod.all_containers
        )
    return Layout(run_dir=run_dir, root=root, run=_find_run(placed), pods=placed, processes=processes)


def _temporary_root(run_dir: Path) -> Path:
    """A short path, and the same each time: it may be part of run.json, whose digest tells runs apart.

    Ray's sockets add up to 87 bytes to it, of the 107 that the path of a Unix socket may have; so not TMPDIR.
    """
    digest = hashlib.sha256(f"{os.getuid()} {run_dir}".encode()).hexdigest()[:6]
    return Path("/tmp") / f"rlinf-{digest}"  # noqa: S108 - made with mode 0700


def _find_run(pods: Sequence[tuple[Pod, PodFolders, Rewriter]]) -> RunFolder:
    """The run's folder, from the run.json that the chart gives its pods."""
    for pod, _, rewrite in pods:
        for volume in pod.volumes.values():
            if "run.json" in (volume.files or {}):
                config: Mapping[str, Any] = json.loads(rewrite((volume.files or {})["run.json"].text))
                return RunFolder(Path(config["folder"]))
    raise LocalError("no pod mounts a ConfigMap with run.json, from which local knows the run's folder")


def _prepare_run(layout: Layout, *, fresh: bool | None, console: Console) -> bool:
    """Make room for the run as told; False when there is nothing to do.

    Raises:
        LocalError: When there is no run to resume.
    """
    run = layout.run
    if fresh:
        shutil.rmtree(run.path, ignore_errors=True)
        shutil.rmtree(layout.logs_dir, ignore_errors=True)
    elif run.finished and fresh is None:
        _say(console, f"{shown(run.path)} holds a finished run; --fresh trains again, --resume goes on with it")
        print_summary(console, run, logs_dir=layout.logs_dir)
        return False
    elif run.started:
        _say(console, f"resuming the run in {shown(run.path)} from its last checkpoint")
        # What follows looks at these to know how this run fares.
        (run.path / "finished.json").unlink(missing_ok=True)
        (run.path / "status.json").unlink(missing_ok=True)
    elif fresh is False:
        raise LocalError(f"{run.path} holds no run to resume: leave out --resume to start one")
    return True


def _write_pods(layout: Layout) -> None:
    """Write the pods' volumes; what a killed `local` left of them goes first."""
    if layout.root.exists():
        shutil.rmtree(layout.root)
    layout.root.mkdir(mode=0o700)
    layout.logs_dir.mkdir(exist_ok=True)
    for pod, folders, rewrite in layout.pods:
        write_volumes(pod, folders, rewrite)
    for plan in layout.processes:
        plan.working_dir.mkdir(parents=True, exist_ok=True)
        Path(plan.env["TMPDIR"]).mkdir(parents=True, exist_ok=True)


def _follow(layout: Layout, *, lock_fd: int, console: Console) -> int:
    """Run the pods until the run has finished or failed, or a signal says stop; then stop them all."""
    run = layout.run
    processes = start_in_order(layout.processes, lock_fd=lock_fd)
    reader = ProgressReader(run=run, processes=processes)
    failure: str | None = None
    with _signals_received() as signals:
        try:
            with view(console, f"{run.path.name} in {shown(layout.run_dir)}") as show:
                while not (signals or failure or run.finished):
                    for process in processes:
                        process.poll()
                    progress = reader.read()
                    show(progress)
                    failure = _failure(processes, unchanged_s=progress.unchanged_s, run=run)
                    time.sleep(_POLL_S)
            if signals:
                _say(console, "stopping the pods, which takes up to 5 s")
        finally:
            stop(processes)
    if signals:
        _say(console, f"stopped; the next run in {shown(layout.run_dir)} resumes, unless told --fresh")
        return 128 + signals[0]
    if failure:
        _say(console, f"the run failed: {failure}", style="red")
        return 1
    print_summary(console, run, logs_dir=layout.logs_dir, phases_s=reader.read().phases_s)
    return 0


def _failure(processes: Sequence[ContainerProcess], *, unchanged_s: float, run: RunFolder) -> str | None:
    """Say why the run has failed, if it has."""
    for process in processes:
        if process.failed:
            return (
                f"{process.plan.title} ended {process.restarts + 1} times, last with exit code {process.exit_code}:\n"
                f"{process.reason()}\nits log: {process.plan.log}"
            )
    if all(process.ended for process in processes) and not run.finished:
        return f"all pods ended, but {run.path / 'finished.json'} is not there; the log: {processes[0].plan.log}"
    if unchanged_s > STALL_TIMEOUT_S:
        return f"no status or pod has changed for {unchanged_s / 60:.0f} minutes; the log: {processes[0].plan.log}"
    return None


def _say(console: Console, text: str, style: str = "") -> None:
    """Print a text as it is, whatever brackets its paths have."""
    console.print(Text(text, style=style), soft_wrap=True)


@contextmanager
def _signals_received() -> Generator[list[int]]:
    """Collect SIGINT and SIGTERM in place of dying from them."""
    received: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
