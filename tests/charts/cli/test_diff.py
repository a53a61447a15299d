"""`rlinf-eks diff`: what a change of values does to the objects."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from command_line import rlinf_eks
from tests_support import ROOT

SMOKE = ROOT / "values" / "smoke.yaml"


def test_no_difference_is_exit_code_0() -> None:
    """A random token does not differ from itself."""
    done = rlinf_eks("diff", "-f", SMOKE, "--against", SMOKE)
    assert (done.exit_code, done.stdout) == (0, "")


def test_a_difference_is_a_unified_diff_and_exit_code_1() -> None:
    """Each object's YAML, under the object's name."""
    done = rlinf_eks("diff", "--set", "storage.runs.size=5Gi")

    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[:2] == ["--- before/PersistentVolumeClaim/rlinf-runs", "+++ after/PersistentVolumeClaim/rlinf-runs"]
    assert lines[-2:] == ["-      storage: 100Gi", "+      storage: 5Gi"]


def test_json_goes_down_to_the_field() -> None:
    """Into run.json, and to the environment variable by its name."""
    done = rlinf_eks("diff", "-f", SMOKE, "--set", "training.hydra.data.n_samples=16", "--against", SMOKE, "--json")

    changes = {(it["kind"], it["name"]): it["fields"] for it in json.loads(done.stdout)}
    assert changes["ConfigMap", "rlinf-launch"] == [
        {"path": "data[run.json].engine.hydra.data", "after": {"n_samples": 16}}
    ]
    [checksum] = changes["StatefulSet", "rlinf"]
    assert checksum["path"] == "spec.template.metadata.annotations[checksum/run]"


def test_an_object_that_goes_away_and_one_that_comes() -> None:
    """Added and removed objects are named; the Secret's value is not."""
    done = rlinf_eks("diff", "--set", "ray.auth.existingSecret=mine,storage.runs.existingClaim=fsx", "--json")
    what = {(it["kind"], it["change"]) for it in json.loads(done.stdout)}
    assert {("Secret", "removed"), ("PersistentVolumeClaim", "removed")} <= what

    text = rlinf_eks("diff", "--set", "ray.auth.existingSecret=mine").stdout
    assert "-  auth_token: (secret)\n" in text
    assert "+++ /dev/null\n" in text


def test_a_terminal_gets_fields_in_colour() -> None:
    """By object and field, with an arrow from old to new."""
    ours, theirs = pty.openpty()
    command = ["rlinf-eks", "diff", "--set", "storage.runs.size=5Gi"]
    environ = {**os.environ, "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=environ) as running:
        running.wait(timeout=60)
        os.close(theirs)
        shown = os.read(ours, 65536).decode()
        os.close(ours)

    assert running.returncode == 1
    assert "~ PersistentVolumeClaim rlinf-runs" in shown
    assert "spec.resources.requests.storage: \x1b[31m100Gi\x1b[0m → \x1b[32m5Gi\x1b[0m" in shown
    assert "1 changed" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-f", "none.yaml"], "none.yaml: cannot be read"),
        (["--set", "mode=x"], "- at '/mode': value must be one of 'statefulset', 'job', 'raycluster', 'rayjob'"),
        (["--live", "--against", "a.yaml"], "--live and --against both name the other side: leave one out"),
    ],
    ids=["file", "values", "usage"],
)
def test_trouble_is_exit_code_2(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    """1 would mean that there are differences."""
    done = rlinf_eks("diff", *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
