"""A real MLflow server, and a run folder in which an engine writes metrics."""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
import uuid
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from leash import leashed
from mlflow_gateway import Gateway
from port_numbers import next_ports
from rlinf_runtime.bootstrap import run_config
from rlinf_runtime.bootstrap.exit_codes import BootstrapError
from rlinf_runtime.bootstrap.following import mlflow_relay
from rlinf_runtime.bootstrap.following.mlflow_server import MlflowServer
from rlinf_runtime.bootstrap.processes import Processes

START = datetime(2026, 11, 30, 12, 0, 0, tzinfo=timezone.utc)


class MlflowProcess:
    """`mlflow server` on a database, killed and started as a test likes."""

    def __init__(self, program, folder):
        self._program = program
        self._folder = folder
        (self._port,) = next_ports()
        self.address = f"http://127.0.0.1:{self._port}"
        self._process = None

    def start(self):
        """Starts it; the first time it makes its database."""
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                leashed(
                    [
                        *(self._program, "server", "--host", "127.0.0.1", "--port", str(self._port), "--workers", "1"),
                        *("--backend-store-uri", f"sqlite:///{self._folder}/mlflow.db"),
                        *("--default-artifact-root", str(self._folder)),
                    ]
                ),
                env={**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "PYTHONPATH": ""},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        until_s = time.monotonic() + 240
        while not self._is_up():
            assert self._process.poll() is None, (self._folder / "log").read_text()
            assert time.monotonic() < until_s, (self._folder / "log").read_text()
            time.sleep(0.2)

    def kill(self):
        """As a node that dies: the server and its workers."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _is_up(self):
        try:
            with urllib.request.urlopen(f"{self.address}/health", timeout=2):
                return True
        except OSError:
            return False


@pytest.fixture(scope="session")
def mlflow_process(tmp_path_factory):
    """One server for all tests; RLINF_TEST_MLFLOW names the program where it is not on PATH."""
    program = os.environ.get("RLINF_TEST_MLFLOW") or shutil.which("mlflow")
    if program is None:
        pytest.skip("there is no program mlflow: `uv venv mlflow && uv pip install mlflow`, and set RLINF_TEST_MLFLOW")
    server = MlflowProcess(program, tmp_path_factory.mktemp("mlflow"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def gateway(mlflow_process):
    gateway = Gateway(mlflow_process.address)
    yield gateway
    gateway.close()


@pytest.fixture
def experiment():
    """A name of its own for each test."""
    return f"libero-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def at_server(mlflow_process, experiment):
    """The experiment's only run as the server has it: its status, name, tags and points by metric."""

    def look(*, with_points=True):
        address, server = mlflow_process.address, MlflowServer(mlflow_process.address, {})
        [run] = _post(address, "runs/search", {"experiment_ids": [server.experiment(experiment)]})["runs"]
        keys = {metric["key"] for metric in run["data"].get("metrics", [])}
        return {
            "id": run["info"]["run_id"],
            "status": run["info"]["status"],
            "name": run["info"]["run_name"],
            "tags": {tag["key"]: tag["value"] for tag in run["data"]["tags"]},
            "keys": keys,
            "points": {key: server.points(run["info"]["run_id"], key) for key in keys} if with_points else {},
        }

    return look


@pytest.fixture
def delete_run(mlflow_process):
    """Deletes a run, as a person in the user interface: `delete_run(id)`."""
    return lambda run_id: _post(mlflow_process.address, "runs/delete", {"run_id": run_id})


def _post(server, path, body):
    request = urllib.request.Request(
        f"{server}/api/2.0/mlflow/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


@pytest.fixture
def config_of(run_tree, tmp_path):
    """A run of an engine, whose folder is there."""
    (tmp_path / "run").mkdir()

    def make(engine):
        return run_config.from_json(json.dumps(run_tree | {"engine": run_tree["engine"] | {"name": engine}})).config

    return make


@pytest.fixture
def verl_log(tmp_path):
    """Writes lines as SimpleVLA-RL does: `verl_log(step, {"critic/loss": 0.5}, attempt=1)`."""
    stamp = iter(range(10_000))

    def write(step, values, *, attempt=1, name="run_20261130_120000.log", end="\n"):
        folder = tmp_path / f"run/attempts/{attempt}/checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        time_of_line = (START + timedelta(seconds=next(stamp))).isoformat()
        with (folder / name).open("a") as file:
            file.write(f"{time_of_line}\t{step}\t{json.dumps(values)}{end}")

    return write


@pytest.fixture
def attempt_began_at(tmp_path):
    """Notes the steps that were done before an attempt: `attempt_began_at(attempt, step)`."""

    def note(attempt, step):
        folder = Path(tmp_path, f"run/attempts/{attempt}")
        folder.mkdir(parents=True, exist_ok=True)
        record = {"resume": "auto", "model": "", "checkpoint": "", "first_step": step, "first_epoch": 0}
        (folder / "attempt.json").write_text(json.dumps(record))

    return note


@pytest.fixture
def relay_of(config_of, experiment, monkeypatch):
    """Starts a relay that is quick: `relay_of(address, engine)`."""
    monkeypatch.setattr(mlflow_relay, "_POLL_S", 0.1)
    monkeypatch.setattr(mlflow_relay, "_BACKOFF_S", (0.1, 0.5))
    config = {}

    def start(address, engine="verl", **environ):
        config.setdefault(engine, config_of(engine) if engine not in config else None)
        variables = {
            "MLFLOW_EXPERIMENT_NAME": experiment,
            "MLFLOW_RUN_CONTEXT": '{"mlflow.runName": "rel-rlinf", "team": "arm"}',
            **environ,
        }
        relay = mlflow_relay.MlflowRelay(config[engine], MlflowServer(address, variables), variables)
        relay.start()
        return relay

    return start


@pytest.fixture
def relaying_run(config_of, gateway, experiment, monkeypatch):
    """What the bootstrap does around the engine, which ends well or with a code: `relaying_run(code)`."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", gateway.address)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", experiment)

    def run(code):
        with suppress(BootstrapError), mlflow_relay.relaying(config_of("verl"), Processes(stop_s=120)):
            if code:
                raise BootstrapError(code, "as a test wants it")

    return run
