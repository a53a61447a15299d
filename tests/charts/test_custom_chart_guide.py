"""docs/guides/custom-chart.md, run as it is written, with a registry and a key of this machine."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from oci_registry import run_registry
from signing_key import make_key
from tests_support import ROOT

GUIDE = (ROOT / "docs" / "guides" / "custom-chart.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "docs" / "examples" / "team_chart.py"


def test_the_guide_shows_the_example_as_it_is() -> None:
    """One text, in two places."""
    [shown] = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)
    assert shown == EXAMPLE.read_text(encoding="utf-8")


def test_every_command_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From other defaults to a verified pull; only the registry's address is another one."""
    shutil.copy(EXAMPLE, tmp_path)
    (tmp_path / "team.yaml").write_text("nodes: {sharedMemory: 8Gi}\n")
    commands = [line for block in re.findall(r"```sh\n(.*?)```", GUIDE, flags=re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 11

    with run_registry(tmp_path) as registry, make_key("platform@example.test", monkeypatch):
        printed = {command: _run(command, tmp_path, registry.host) for command in commands}

    assert "ray-logs" in printed["helm template rlinf team-rlinf-1.0.0.tgz"]
    assert 'sizeLimit: "8Gi"' in printed["helm template rlinf team-rlinf-1.0.0.tgz"]
    assert "1.0.0" in printed["rlinf-eks versions oci://registry.example.test/charts/team-rlinf"]


def _run(command: str, folder: Path, host: str) -> str:
    if "oci://" in command:
        command = f"{command.replace('registry.example.test', host)} --plain-http"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    # diff says by 1 that there are differences.
    assert done.returncode == (1 if " diff " in command else 0), f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
