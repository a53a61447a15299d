"""The pod's status file, and the probe that looks at its age."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap import pod_status
from rlinf_runtime.bootstrap.log import Stopwatch
from rlinf_runtime.bootstrap.pod_status import PodStatus
from tests_support import ROOT, wait_until

ALIVE = ROOT / "runtime/rlinf_runtime/bootstrap/alive.sh"


def alive(file, within_s):
    """What kubelet sees: exit code and words."""
    done = subprocess.run(
        ["sh", str(ALIVE), str(within_s)],
        env={**os.environ, "RLINF_STATUS_FILE": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.fixture
def status_file(tmp_path, monkeypatch):
    monkeypatch.setenv("RLINF_STATUS_FILE", str(tmp_path / "status.json"))
    return tmp_path / "status.json"


def test_the_file_says_what_the_pod_does_and_how_far_the_run_is(status_file, tmp_path):
    """The head's copies the run's own progress."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run/status.json").write_text('{"phase": "train", "step": 3, "success_rate": 0.5, "eta_s": 1}')
    watch = Stopwatch()
    with watch.step("engine", "ended", ours=False):
        PodStatus("head", watch, run_folder=str(tmp_path / "run")).beat()
    content = json.loads(status_file.read_text())
    assert content.pop("updated_at")
    assert content == {"role": "head", "phase": "engine", "step": 3, "success_rate": 0.5}


@pytest.mark.parametrize("text", [None, "", "[]", "{"])
def test_a_run_without_a_status_is_no_fault(status_file, tmp_path, text):
    """Before its first one, or where a file is damaged."""
    if text is not None:
        (tmp_path / "status.json").write_text(text)
    PodStatus("submit", Stopwatch(), run_folder=str(tmp_path)).beat()
    assert json.loads(status_file.read_text())["role"] == "submit"


def test_a_beat_is_cheap(status_file, tmp_path, monkeypatch):
    """Loops that turn fast write seldom."""
    status = PodStatus("worker", Stopwatch(), run_folder=str(tmp_path))
    status.beat()
    status_file.unlink()
    status.beat()
    assert not status_file.exists()
    monkeypatch.setattr(pod_status, "_BEAT_S", 0.0)
    status = PodStatus("worker", Stopwatch(), run_folder=str(tmp_path))
    status.beat()
    status.beat()
    assert status_file.exists()


def test_a_full_disk_is_no_reason_to_start_again(status_file, tmp_path, caplog):
    """The file gets no content, but its age says that the loop turns."""
    status_file.write_text("{}")
    os.utime(status_file, (0, 0))
    status_file.with_suffix(".json.partial").mkdir()
    PodStatus("worker", Stopwatch(), run_folder=str(tmp_path)).beat()
    assert "cannot write" in caplog.text
    assert alive(status_file, 30) == (0, "")


def test_the_probe_fails_for_a_file_that_is_old_or_missing(tmp_path):
    """In words that `kubectl describe pod` shows."""
    file = tmp_path / "status.json"
    assert alive(file, 30)[0] != 0
    file.write_text("{}")
    assert alive(file, 30) == (0, "")
    old_s = time.time() - 100
    os.utime(file, (old_s, old_s))
    code, words = alive(file, 30)
    assert code == 1
    assert words.startswith(f"the bootstrap has not written {file} for 10")


def test_the_probe_tells_a_hung_bootstrap_from_a_waiting_one(run_tree, start_pod):
    """A worker without a head beats; stopped by SIGSTOP it does not, and goes on afterwards."""
    worker = start_pod(run_tree, 1)
    worker.wait_for_line("no Ray head at")
    assert alive(worker.status_file, 60) == (0, "")
    assert json.loads(worker.status_file.read_text())["phase"] == "wait"
    worker.signal(signal.SIGSTOP)
    wait_until(lambda: alive(worker.status_file, 4)[0] == 1)
    worker.signal(signal.SIGCONT)
    wait_until(lambda: alive(worker.status_file, 4) == (0, ""))
    assert Path(run_tree["folder"]).is_dir()
    worker.terminate()
    assert worker.exit_code() == 143
