"""What the bootstrap itself takes of a pod's life: all but Ray's start, the engine, and waiting for others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measurement import Measurement

ROOT = Path(__file__).parent.parent.parent
_LIMIT_S = 2.0
# Runs of two pods on a real Ray: one with every check of a node, one that stages a model.
_RUNS = {
    "native, with all checks": "tests/bootstrap/test_cluster_of_pods.py::"
    "test_a_late_worker_completes_the_cluster_and_the_run_is_marked_as_finished",
    "verl's stand-in, which stages": "tests/bootstrap/test_gang_verl.py::test_a_run_trains_saves_and_ends",
}


def measure() -> Iterator[Measurement]:
    """The own time of a head and of a worker, as each says in its log."""
    for engine, test in _RUNS.items():
        log = _log_of(test)
        for role in ("head", "worker"):
            said = re.search(rf" {role} +overhead +([\d.]+) s of ([\d.]+) s are ours", log)
            assert said is not None, log
            yield Measurement(
                name=f"bootstrap: own time of a {role} ({engine})",
                value=float(said[1]),
                unit="s",
                reference=float(said[2]),
                reference_name="the pod's whole life",
                limit=_LIMIT_S,
            )


def _log_of(test: str) -> str:
    """What the test's pods have said; in this process's own order, whatever the project's options are."""
    command = [sys.executable, "-m", "pytest", "-s", "-o", "addopts=--import-mode=importlib", test]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
