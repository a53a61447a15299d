"""Pods as processes: the bootstrap laid out in a folder named `launch`, as the ConfigMap mounts it."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from leash import leashed
from port_numbers import next_ports

ROOT = Path(__file__).parents[2]
BOOTSTRAP = ROOT / "runtime/rlinf_runtime/bootstrap"
# For a hang to become a failure, no measure of speed: a busy machine takes many times what an idle one does.
PATIENCE_S = 180


@pytest.fixture
def run_tree(tmp_path):
    """A run of two CPU nodes, whose head is 127.0.0.2; tests change what they are about."""
    port, dashboard_port, metrics_port = next_ports(3, host="127.0.0.2")
    return {
        "schema_version": 1,
        "name": "rlinf",
        "folder": str(tmp_path / "run"),
        "nodes": {"count": 2, "gpus": 0, "efa_devices": 0},
        "ray": {
            "head_host": "127.0.0.2",
            "port": port,
            "dashboard_port": dashboard_port,
            "metrics_port": metrics_port,
            "num_cpus": 1,
            "autoscaled": False,
        },
        "engine": {
            "name": "native",
            "code": "",
            "config_folder": "",
            "config_name": "",
            "hydra": {"fake": {"do": "succeed"}},
            "patches_off": [],
        },
        "preflight": {"enabled": True, "skip": []},
        "resume": "auto",
        "keep_checkpoints": 0,
        "watchdog": {"epochs_without_update": 2, "step_minutes": 180},
        "deadlines": {"start_s": PATIENCE_S, "join_s": PATIENCE_S, "stop_s": 12},
        "on_finish": "exit",
    }


@pytest.fixture
def start_pod(tmp_path):
    """Starts a pod of a run: `start_pod(tree, rank, *arguments)`; whatever is left is killed after the test."""
    pods = []

    def start(tree, rank, *arguments, **environ):
        pods.append(Pod(tmp_path, tree, rank, arguments, environ))
        return pods[-1]

    yield start
    for pod in pods:
        pod.kill()
        # pytest shows it beside a failure.
        sys.stdout.write(f"--- rlinf-{pod.rank}\n{pod.output}\n")


@pytest.fixture
def lay_out(tmp_path):
    """Lays out a run's launch folder: `lay_out(tree)`."""
    return lambda tree: lay_out_pod(tmp_path / "image", tree)


def lay_out_pod(folder, tree):
    """What the launch ConfigMap carries, in a folder `launch`; the fake engine lies where Python finds it first."""
    launch = folder / "launch"
    shutil.copytree(BOOTSTRAP, launch, ignore=shutil.ignore_patterns("__pycache__"))
    (launch / "run.json").write_text(json.dumps(tree))
    engine = folder / "engine/rlinf_runtime"
    engine.mkdir(parents=True)
    (engine / "__init__.py").write_text("")
    shutil.copy(Path(__file__).with_name("fake_engine.py"), engine / "trainer.py")
    return launch


class Process(NamedTuple):
    """What the kernel says of a process."""

    pid: int
    parent: int
    session: int
    environ: bytes


def _processes():
    """All that live, not those that have ended and wait for their parent to look."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # After the name, which stands in brackets: state, parent, process group, session.
            state, parent, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if state not in "ZX":
                yield Process(int(folder.name), int(parent), int(session), (folder / "environ").read_bytes())


class Pod:
    """One pod's container: its output, its exit code, and every process in it."""

    def __init__(self, folder, tree, rank, arguments, environ):
        self.rank = rank
        self._mark = secrets.token_hex(8)
        home = folder / f"pod-{rank}-{self._mark}"
        launch = lay_out_pod(home, tree)
        # Short, for the sockets of Ray lie in it.
        self._tmp = Path(tempfile.mkdtemp(prefix="pod"))
        self.ready_file = self._tmp / "rlinf-ready"
        self.status_file = self._tmp / "rlinf-status.json"
        self.termination_log = home / "termination-log"
        self.termination_log.write_text("")
        self._process = subprocess.Popen(
            leashed(["sh", str(launch / "launch.sh"), *arguments]),
            env={
                **os.environ,
                "PYTHONPATH": str(home / "engine"),
                "TMPDIR": str(self._tmp),
                "RLINF_NODE_RANK": str(rank),
                "RLINF_READY_FILE": str(self.ready_file),
                "RLINF_STATUS_FILE": str(self.status_file),
                "RLINF_TERMINATION_LOG": str(self.termination_log),
                "RLINF_TEST_MARK": self._mark,
                "POD_NAME": f"rlinf-{rank}",
                "POD_IP": f"127.0.0.{rank + 2}",
                "RAY_AUTH_MODE": "token",
                "RAY_AUTH_TOKEN": "0123456789abcdef0123456789abcdef",
                **environ,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = []
        self._sessions = set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.lines.append(line.rstrip())

    @property
    def output(self):
        return "\n".join(self.lines)

    def wait_for_line(self, words, *, within_s=PATIENCE_S, times=1):
        """Waits until the pod has said the words so many times, and returns the last of these lines."""
        until_s = time.monotonic() + within_s
        while len(found := [line for line in list(self.lines) if words in line]) < times:
            assert time.monotonic() < until_s, f"no {words!r} within {within_s} s in:\n{self.output}"
            assert self._process.poll() is None, f"the pod ended without {words!r}:\n{self.output}"
            time.sleep(0.1)
        # To remember their sessions, before titles hide who they are.
        self.processes()
        return found[times - 1]

    def exit_code(self, *, within_s=PATIENCE_S):
        """Waits for the pod's end."""
        try:
            code = self._process.wait(timeout=within_s)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the pod is still there after {within_s} s:\n{self.output}")
        self._reader.join(timeout=5)
        return code

    def terminate(self):
        self.signal(signal.SIGTERM)

    def signal(self, number):
        self._process.send_signal(number)

    def processes(self):
        """Ids of the pod's processes, wherever they hang now.

        The environment of each carried the pod's mark when it began, but Ray's overwrite theirs with a title: they are
        known as children of others, or by the session of those that were seen before.
        """
        living = list(_processes())
        # Whole: an engine hands its search path, which holds the mark too, to its workers in other pods.
        mark = f"RLINF_TEST_MARK={self._mark}".encode()
        found = {each.pid for each in living if mark in each.environ.split(b"\0")}
        while True:
            self._sessions |= {each.session for each in living if each.pid in found} - {os.getsid(0)}
            more = {each.pid for each in living if each.parent in found or each.session in self._sessions}
            if more <= found:
                return sorted(found)
            found |= more

    def kill(self):
        """What the kernel does to a container whose node dies: SIGKILL to every process of it."""
        while self._process.poll() is None or self.processes():
            for pid in self.processes():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        shutil.rmtree(self._tmp, ignore_errors=True)
