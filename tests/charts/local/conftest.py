"""A chart as `rlinf-eks local` gets it, with a small Python program in the bootstrap's place."""

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leash import leashed
from tests_support import wait_until

# What the bootstrap and the trainer do, as far as `local` sees it: status, metrics, marker, then hold.
TRAIN = """
import json, os, pathlib, time

run = json.loads(pathlib.Path("/opt/rlinf/launch/run.json").read_text())
folder = pathlib.Path(run["folder"])
if os.environ["RLINF_NODE_RANK"] == "0":
    folder.mkdir(exist_ok=True)

    def say(phase, step):
        status = {"phase": phase, "step": step, "total_steps": 2, "success_rate": step / 2, "eta_s": 2.0 - step}
        new = folder / "status.json.new"
        new.write_text(json.dumps(status | {"updated_at": time.time()}))
        new.replace(folder / "status.json")
        with (folder / "metrics.jsonl").open("a") as metrics:
            metrics.write(json.dumps({"step": step, "val/success_rate": step / 2}) + chr(10))
        print(phase, "step", step, flush=True)
        time.sleep(0.3)

    say("sft", 0)
    say("train", 1)
    say("train", 2)
    (folder / "finished.json").write_text("{}")
time.sleep(600)
"""


def chart_manifests(program: str = TRAIN, **container: Any) -> list[dict[str, Any]]:
    """The chart's shape as docs/architecture.md states it; `container` adds to or replaces the container's fields."""
    field = lambda path: {"valueFrom": {"fieldRef": {"fieldPath": path}}}  # noqa: E731
    trainer = {
        "name": "trainer",
        "image": "example/rlinf:1",
        "command": ["sh", "/opt/rlinf/launch/launch.sh"],
        "env": [
            {"name": "RLINF_NODE_RANK", **field("metadata.labels['apps.kubernetes.io/pod-index']")},
            {"name": "POD_NAME", **field("metadata.name")},
            {"name": "POD_IP", **field("status.podIP")},
            {"name": "POD_NAMESPACE", **field("metadata.namespace")},
            {"name": "RAY_AUTH_TOKEN", "valueFrom": {"secretKeyRef": {"name": "rlinf-ray", "key": "token"}}},
            {"name": "MUJOCO_GL", "value": "disabled"},
            {"name": "RUN_MARK", "value": "/runs"},
        ],
        "resources": {"requests": {"cpu": "1"}},
        "volumeMounts": [
            {"name": "launch", "mountPath": "/opt/rlinf/launch", "readOnly": True},
            {"name": "runs", "mountPath": "/runs"},
            {"name": "tmp", "mountPath": "/tmp"},
            {"name": "shm", "mountPath": "/dev/shm"},
        ],
    }
    run = {"name": "rlinf", "folder": "/runs/rlinf", "ray": {"head_host": "rlinf-0.rlinf-nodes.default.svc"}}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "rlinf"}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "rlinf-nodes"}, "spec": {"clusterIP": "None"}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "rlinf-runs"}, "spec": {}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "rlinf-ray"}, "data": {"token": "c2VjcmV0"}},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "rlinf-launch"},
            "data": {
                "launch.sh": 'exec python3 -u "$(dirname "$0")/program.py"\n',
                "run.json": json.dumps(run),
                "program.py": textwrap.dedent(program),
            },
        },
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "rlinf"},
            "spec": {
                "replicas": 2,
                "podManagementPolicy": "Parallel",
                "serviceName": "rlinf-nodes",
                "selector": {"matchLabels": {"app": "rlinf"}},
                "template": {
                    "metadata": {"labels": {"app": "rlinf"}},
                    "spec": {
                        "serviceAccountName": "rlinf",
                        "containers": [trainer | container],
                        "volumes": [
                            {"name": "launch", "configMap": {"name": "rlinf-launch", "defaultMode": 0o444}},
                            {"name": "runs", "persistentVolumeClaim": {"claimName": "rlinf-runs"}},
                            {"name": "tmp", "emptyDir": {}},
                            {"name": "shm", "emptyDir": {"medium": "Memory"}},
                        ],
                    },
                },
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "rlinf-test", "annotations": {"helm.sh/hook": "test"}},
            "spec": {"containers": []},
        },
    ]


@pytest.fixture
def manifests() -> Callable[..., list[dict[str, Any]]]:
    """Makes a chart's manifests."""
    return chart_manifests


class LocalCommand:
    """`local` in a process of its own, as a person runs it."""

    def __init__(self, manifests: list[dict[str, Any]], run_dir: Path, *, fresh: bool | None = None) -> None:
        self.run_dir = run_dir
        call = (
            "import json, pathlib, sys; from rich.console import Console; from rlinf_charts.local import run_locally;"
            "sys.exit(run_locally(json.load(sys.stdin), run_dir=pathlib.Path(sys.argv[1]), namespace='default',"
            f"fresh={fresh}, console=Console()))"
        )
        self.process = subprocess.Popen(
            leashed([sys.executable, "-c", call, str(run_dir)]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin
        json.dump(manifests, self.process.stdin)
        self.process.stdin.close()

    def wait_for_logs(self, text: str) -> None:
        """Wait until both pods' logs hold the text."""
        logs = [self.run_dir / "logs" / f"rlinf-{index}.log" for index in range(2)]
        wait_until(lambda: all(log.exists() and text in log.read_text() for log in logs))

    def output(self) -> str:
        """What it printed, once it has ended."""
        assert self.process.stdout
        return self.process.stdout.read()

    def container_processes(self) -> list[str]:
        """The process ids of everything that runs with this run's environment."""
        mark = f"RUN_MARK={self.run_dir}".encode()
        environs = Path("/proc").glob("[0-9]*/environ")
        return [path.parent.name for path in environs if mark in _read_environ(path).split(b"\0")]


def _read_environ(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture
def local() -> Any:
    """Starts `local` in a process of its own; kills it at the end if it is still there."""
    started: list[LocalCommand] = []

    def start(*args: Any, **kwargs: Any) -> LocalCommand:
        started.append(LocalCommand(*args, **kwargs))
        return started[-1]

    yield start
    for command in started:
        if command.process.poll() is None:
            command.process.send_signal(15)
            command.process.wait(10)
        assert command.process.stdout
        command.process.stdout.close()
