"""`rlinf-eks local` from the manifests to the summary, with real processes."""

import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from rlinf_charts.local import LocalError, run_locally
from rlinf_charts.local.pods import plan_pods
from rlinf_charts.local.run import plan_layout
from tests_support import wait_until

WITH_DAEMON = """
import os, signal, subprocess, sys, time

deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(600)
"""
"""Never finishes; with a daemon in a session of its own, as Ray has them; neither heeds SIGTERM."""

SAVES = """
import pathlib, signal, sys, time

def save(*_):
    pathlib.Path("/runs/saved").write_text("yes")
    sys.exit(143)

signal.signal(signal.SIGTERM, save)
print("up", flush=True)
time.sleep(600)
"""


def run(manifests: list[dict[str, Any]], run_dir: Path, *, fresh: bool | None = None) -> tuple[int, str]:
    """Run in this process; return the exit code and what was printed."""
    console = Console(record=True, width=100, file=(run_dir.parent / "console.txt").open("w"))
    with console.file:
        code = run_locally(manifests, run_dir=run_dir, namespace="default", fresh=fresh, console=console)
    return code, console.export_text()


def test_a_run_ends_when_its_marker_appears(manifests: Any, tmp_path: Path) -> None:
    """Both pods run, the marker ends them, and the summary shows the rise and what was made."""
    code, text = run(manifests(), tmp_path / "smoke")

    assert code == 0
    assert "0.0% → 100.0%" in text
    assert "rlinf/metrics.jsonl" in text
    assert "train step 2" in (tmp_path / "smoke/logs/rlinf-0.log").read_text()


def test_init_containers_run_first_and_sidecars_beside(manifests: Any, tmp_path: Path) -> None:
    """What an init container leaves on a volume is there when the trainer starts, and the sidecar sees it too."""
    copy = "import pathlib, time; time.sleep(1); pathlib.Path('/runs/copied').write_text('yes')"
    watch = "import pathlib, time; print(pathlib.Path('/runs/copied').read_text(), flush=True); time.sleep(600)"
    mounts = [{"name": "runs", "mountPath": "/runs"}]
    objects = manifests(command=["sh", "-c", "test -e /runs/copied && exec sh /opt/rlinf/launch/launch.sh"])
    pod = next(item for item in objects if item["kind"] == "StatefulSet")["spec"]["template"]["spec"]
    pod["initContainers"] = [
        {"name": "copy", "command": ["python3", "-c", copy], "volumeMounts": mounts},
        {"name": "watch", "command": ["python3", "-c", watch], "volumeMounts": mounts, "restartPolicy": "Always"},
    ]

    code, _ = run(objects, tmp_path / "smoke")

    assert code == 0
    assert (tmp_path / "smoke/logs/rlinf-0-watch.log").read_text() == "yes\n"


def test_nothing_temporary_remains(manifests: Any, tmp_path: Path) -> None:
    """The pods' own folder goes at the end of the run."""
    layout = plan_layout(plan_pods(manifests(), namespace="default"), run_dir=tmp_path / "smoke")
    run(manifests(), tmp_path / "smoke")

    assert not layout.root.exists()


def test_a_finished_run_is_left_alone(manifests: Any, tmp_path: Path) -> None:
    """A second run without --fresh or --resume shows the first one's summary and starts nothing."""
    run(manifests(), tmp_path / "smoke")
    code, text = run(manifests("raise SystemExit('started again')"), tmp_path / "smoke")

    assert code == 0
    assert "holds a finished run; --fresh trains again, --resume goes on with it" in text
    assert "0.0% → 100.0%" in text


def test_fresh_removes_the_run_before(manifests: Any, tmp_path: Path) -> None:
    """--fresh starts from nothing: the metrics hold one run's lines."""
    for _ in range(2):
        assert run(manifests(), tmp_path / "smoke", fresh=True)[0] == 0

    assert len((tmp_path / "smoke/rlinf/metrics.jsonl").read_text().splitlines()) == 3


def test_an_unfinished_run_resumes(manifests: Any, tmp_path: Path) -> None:
    """Without --fresh a second run goes on in the folder of one that failed, and says so."""
    unfinished = "import os; os.makedirs('/runs/rlinf/checkpoints', exist_ok=True)"
    assert run(manifests(unfinished), tmp_path / "smoke")[0] == 1
    code, text = run(manifests(), tmp_path / "smoke")

    assert code == 0
    assert "resuming the run" in text
    assert (tmp_path / "smoke/rlinf/checkpoints").is_dir()


def test_resume_needs_a_run(manifests: Any, tmp_path: Path) -> None:
    """--resume in an empty directory is refused."""
    with pytest.raises(LocalError) as refusal:
        run(manifests(), tmp_path / "smoke", fresh=False)

    assert str(refusal.value) == f"{tmp_path}/smoke/rlinf holds no run to resume: leave out --resume to start one"


def test_files_of_others_are_not_taken_for_a_run(manifests: Any, tmp_path: Path) -> None:
    """A folder of the run's name that local did not make is refused, even with --fresh."""
    (tmp_path / "rlinf").mkdir()
    (tmp_path / "rlinf/precious.txt").write_text("mine")

    with pytest.raises(LocalError) as refusal:
        run(manifests(), tmp_path, fresh=True)

    assert (tmp_path / "rlinf/precious.txt").exists()
    assert str(refusal.value) == (
        f"{tmp_path}/rlinf holds files that `rlinf-eks local` did not make: choose another --run-dir, or move them away"
    )


def test_a_failing_pod_is_restarted_then_fails_the_run(manifests: Any, tmp_path: Path) -> None:
    """Three restarts after 1, 2 and 4 s; then the run fails with the termination message."""
    failing = "print('try', flush=True); open('/dev/termination-log', 'w').write('no GPU here'); raise SystemExit(3)"
    code, text = run(manifests(failing), tmp_path / "smoke")

    assert code == 1
    # Whichever of the two comes first; the other may not have got so far.
    pod = re.search(r"(rlinf-[01]) ended 4 times, last with exit code 3:\nno GPU here\n", text)
    assert pod
    assert (tmp_path / f"smoke/logs/{pod[1]}.log").read_text() == "try\n" * 4


def test_pods_that_end_without_a_marker_fail_the_run(manifests: Any, tmp_path: Path) -> None:
    """Exit code 0 of all pods is no success when the marker is missing."""
    code, text = run(manifests("print('nothing to do')"), tmp_path / "smoke")

    assert code == 1
    assert f"all pods ended, but {tmp_path}/smoke/rlinf/finished.json is not there" in text.replace("\n", "")


def test_a_run_without_news_fails(manifests: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose status does not change is given up after the deadline."""
    monkeypatch.setattr("rlinf_charts.local.run.STALL_TIMEOUT_S", 1.0)
    code, text = run(manifests("import time; time.sleep(600)"), tmp_path / "smoke")

    assert code == 1
    assert "no status or pod has changed for" in text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_nothing(manifests: Any, local: Any, tmp_path: Path, number: signal.Signals) -> None:
    """Containers and daemons that ignore SIGTERM are killed soon after Ctrl-C or SIGTERM."""
    command = local(manifests(WITH_DAEMON), tmp_path / "smoke")
    command.wait_for_logs("deaf")
    # Each pod: shim, program (the shell has become it), daemon.
    assert len(command.container_processes()) == 6
    command.process.send_signal(number)

    assert command.process.wait(60) == 128 + number
    assert command.container_processes() == []
    assert f"stopped; the next run in {tmp_path}/smoke resumes, unless told --fresh" in command.output()


def test_ctrl_c_lets_containers_save(manifests: Any, local: Any, tmp_path: Path) -> None:
    """A container gets SIGTERM first, and the time to save."""
    command = local(manifests(SAVES), tmp_path / "smoke")
    command.wait_for_logs("up")
    command.process.send_signal(signal.SIGINT)

    assert command.process.wait(60) == 130
    assert (tmp_path / "smoke/saved").read_text() == "yes"


def test_kill_9_leaves_nothing_running(manifests: Any, local: Any, tmp_path: Path) -> None:
    """When local is killed outright, containers and daemons end too; the next local clears the pods' folder."""
    layout = plan_layout(plan_pods(manifests(), namespace="default"), run_dir=tmp_path / "smoke")
    command = local(manifests(WITH_DAEMON), tmp_path / "smoke")
    command.wait_for_logs("deaf")
    command.process.kill()
    wait_until(lambda: not command.container_processes())
    assert layout.root.exists()

    assert run(manifests(), tmp_path / "smoke")[0] == 0
    assert not layout.root.exists()


def test_a_container_killed_from_outside_takes_its_daemons_along(manifests: Any, local: Any, tmp_path: Path) -> None:
    """As in a PID namespace, nothing of a container outlives its first process; then it starts again."""
    command = local(manifests(WITH_DAEMON), tmp_path / "smoke")
    command.wait_for_logs("deaf")
    before = command.container_processes()
    program = next(pid for pid in before if "program.py" in Path(f"/proc/{pid}/cmdline").read_text())
    os.kill(int(program), signal.SIGKILL)

    wait_until(lambda: len(set(before) & set(command.container_processes())) == 3)
    wait_until(lambda: len(command.container_processes()) == 6)


def test_a_run_dir_serves_one_local_at_a_time(manifests: Any, local: Any, tmp_path: Path) -> None:
    """A second local on the run directory of a running one is refused and names it."""
    command = local(manifests(WITH_DAEMON), tmp_path / "smoke")
    command.wait_for_logs("deaf")

    with pytest.raises(LocalError) as refusal:
        run(manifests(), tmp_path / "smoke", fresh=True)

    assert str(refusal.value) == (
        f"{tmp_path}/smoke is in use by another `rlinf-eks local` (process {command.process.pid}): wait for its end, "
        "stop it by Ctrl-C, or choose another --run-dir"
    )


def test_a_run_dir_with_quotes_is_refused(manifests: Any, tmp_path: Path) -> None:
    """Its name would become part of JSON and shell texts."""
    with pytest.raises(LocalError, match=re.escape("quotes, backslashes, newlines, $ and ` would break")):
        run(manifests(), tmp_path / 'a"b')


def test_a_chart_without_run_json_is_refused(manifests: Any, tmp_path: Path) -> None:
    """Without run.json local could not follow the run."""
    objects = manifests()
    next(item for item in objects if item["kind"] == "ConfigMap")["data"].pop("run.json")

    with pytest.raises(LocalError, match="no pod mounts a ConfigMap with"):
        run(objects, tmp_path)
