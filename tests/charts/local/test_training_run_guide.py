"""docs/guides/training-run.md, run as it is written, with a run that is small enough for a test."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlinf_constructs.helm.merge import overlay
from tests_support import ROOT

GUIDE = (ROOT / "docs" / "guides" / "training-run.md").read_text(encoding="utf-8")

TINY: dict[str, Any] = {
    "data": {"train_batch_size": 2, "val_batch_size": 6, "filter_accuracy": False},
    "actor_rollout_ref": {"actor": {"ppo_mini_batch_size": 8, "ppo_micro_batch_size": 8}},
    "sft": {"demonstrations_per_task": 1, "steps": 2},
}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_command_of_the_guide(tmp_path: Path) -> None:
    """Check, train, go on with more steps, and evaluate the last checkpoint in a run beside it."""
    [file] = re.findall(r"```yaml\n(.*?)```", GUIDE, flags=re.DOTALL)
    values = overlay(yaml.safe_load(file), {"training": {"hydra": TINY}})
    (tmp_path / "my-run.yaml").write_text(yaml.safe_dump(values))
    shutil.copytree(ROOT / "values", tmp_path / "values")
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE, flags=re.DOTALL)
    commands = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
    assert len(commands) == 5

    for command in commands:
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"

    runs = tmp_path / "runs" / "my-run"
    trained, evaluated = (json.loads((runs / name / "status.json").read_text()) for name in ("rlinf", "rlinf-eval"))
    assert (trained["phase"], trained["step"]) == ("done", 15)
    assert evaluated["success_rate"] == trained["success_rate"]
