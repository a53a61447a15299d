"""How the engine will be started: the bootstrap's own answer, without a cluster."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rlinf_charts.chart import launch_files
from rlinf_charts.pod_specs import pod_specs
from rlinf_constructs.training.launch import MOUNT_PATH
from rlinf_constructs.training.pod import CONTAINER


class EngineStartError(ValueError):
    """A run that the bootstrap refuses."""


def engine_start(run: str, objects: Iterable[Mapping[str, Any]]) -> str:
    """The commands, for a shell of the head's pod, that start the engine.

    The bootstrap says them itself, from the files that the pods get: the two distributions know nothing of each other.

    Args:
        run: text of run.json.
        objects: that the chart renders, for the variables of its pods.

    Raises:
        EngineStartError: in the bootstrap's words.
    """
    with tempfile.TemporaryDirectory() as folder:
        launch = Path(folder, Path(MOUNT_PATH).name)
        for path, text in {**launch_files(), "run.json": run}.items():
            (launch / path).parent.mkdir(parents=True, exist_ok=True)
            (launch / path).write_text(text, encoding="utf-8")
        log = Path(folder, "termination-log")
        log.touch()
        done = subprocess.run(
            # -E: the pod's PYTHONPATH is the engine's.
            [sys.executable, "-E", "-m", launch.name, "head", "--print"],
            cwd=folder,
            env={**_variables(objects), "RLINF_TERMINATION_LOG": str(log)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        if done.returncode:
            raise EngineStartError(log.read_text(encoding="utf-8").strip() or done.stderr.strip())
        return done.stdout.replace(folder, str(Path(MOUNT_PATH).parent))


def _variables(objects: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The plain variables of the training container; those of Secrets and of the pod itself are known there only."""
    for item in objects:
        for _, pod in pod_specs(item):
            for container in pod["containers"]:
                if container["name"] == CONTAINER:
                    return {it["name"]: it["value"] for it in container["env"] if "value" in it}
    return {}
