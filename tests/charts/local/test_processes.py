"""A container's command and environment on this machine."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from rlinf_charts.local.pods import plan_pods
from rlinf_charts.local.processes import ProcessPlan
from rlinf_charts.local.run import plan_layout


def plans(manifests: list[dict[str, Any]], run_dir: Path) -> list[ProcessPlan]:
    """The plans of a chart's processes."""
    return list(plan_layout(plan_pods(manifests, namespace="default"), run_dir=run_dir).processes)


def test_command_and_variables_name_this_machines_folders(manifests: Any, tmp_path: Path) -> None:
    """Mount paths and pod names are replaced, the only claim by the run directory."""
    [head, worker] = plans(manifests(command=["train", "--at=/runs/a", "rlinf-0.rlinf-nodes:6379"]), tmp_path)

    assert head.argv == ["train", f"--at={tmp_path}/a", "127.0.0.2:6379"]
    assert head.env["RUN_MARK"] == str(tmp_path)
    assert worker.env["TMPDIR"] != head.env["TMPDIR"]
    assert worker.env["HOSTNAME"] == "rlinf-1"


def test_only_a_few_variables_come_from_outside(
    manifests: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the manifests do not say, a container does not depend on."""
    monkeypatch.setenv("RAY_ADDRESS", "elsewhere:6379")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("HOME", "/home/me")
    [head, _] = plans(manifests(env=[]), tmp_path)

    assert not {"RAY_ADDRESS", "PYTHONPATH"} & set(head.env)
    assert head.env["HOME"] == "/home/me"
    assert head.env["MUJOCO_GL"] == os.environ.get("MUJOCO_GL", "egl")


def test_each_container_has_a_log_of_its_own(manifests: Any, tmp_path: Path) -> None:
    """The trainer's is called as the pod is."""
    objects = manifests()
    pod = next(item for item in objects if item["kind"] == "StatefulSet")["spec"]["template"]["spec"]
    pod["initContainers"] = [{"name": "copy", "command": ["cp"]}]
    found = [(plan.title, plan.is_init, plan.log.name) for plan in plans(objects, tmp_path)]

    assert found[:2] == [("rlinf-0-copy", True, "rlinf-0-copy.log"), ("rlinf-0", False, "rlinf-0.log")]


def test_python_is_this_interpreter(manifests: Any, tmp_path: Path) -> None:
    """`python3` in a container is the one of this environment, in which the runtime is installed."""
    [head, _] = plans(manifests(), tmp_path)
    found = shutil.which("python3", path=head.env["PATH"])

    assert found is not None
    assert Path(found).parent == Path(sys.executable).parent


def test_sockets_have_room(manifests: Any, tmp_path: Path) -> None:
    """TMPDIR is so short that Ray's sockets, up to 81 bytes below it, stay under 107."""
    assert all(len(plan.env["TMPDIR"]) + 81 <= 107 for plan in plans(manifests(), tmp_path))
