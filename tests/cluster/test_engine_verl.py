"""Engine verl on a real cluster, with the stand-in for SimpleVLA-RL: it trains, loses a pod and goes on, and ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kubernetes_cluster import CHART, Cluster, KubeRay, options
from tests_support import ROOT
from verl_runs import FAKE_TREE, weights

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

RUN = ROOT / "tests" / "cluster" / "verl-run.yaml"
TOTAL_UPDATES = 8


@pytest.fixture(scope="module")
def verl_values(cluster: Cluster, machine_values: list[Path]) -> list[Path]:
    """The stand-in's tree and a model on the claim of runs, where every pod sees them."""
    runs = cluster.scratch / "runs"
    shutil.copytree(FAKE_TREE, runs / "fake_verl", ignore=shutil.ignore_patterns("__pycache__"))
    weights.make_model(runs / "model")
    return [*machine_values, RUN]


def run_folder(cluster: Cluster, release: str) -> Path:
    """The run folder, as this machine sees it."""
    return cluster.scratch / "runs" / f"{release}-rlinf"


def newest_updates(folder: Path) -> int:
    """What the newest start has saved last."""
    attempt = max((folder / "attempts").iterdir(), key=lambda path: int(path.name))
    saved = (attempt / "checkpoints" / "actor").glob("global_step_*")
    return weights.updates_in(max(saved, key=lambda path: int(path.name.rpartition("_")[2])))


def is_finished(folder: Path) -> bool:
    """Whether the bootstrap has marked the run."""
    return (folder / "finished.json").exists()


def test_a_stateful_set_survives_the_death_of_its_head(cluster: Cluster, verl_values: list[Path]) -> None:
    """It is killed after a whole checkpoint; the next start goes on from there, with weights only, and says so."""
    folder = run_folder(cluster, "set")
    cluster.helm("install", "set", str(CHART), *options(verl_values, "mode=statefulset"))
    index = folder / "attempts/1/checkpoints/actor/global_step_1/model.safetensors.index.json"
    cluster.wait_until("the first checkpoint is there", index.exists, within_s=300)

    cluster.kubectl("delete", "pod", "set-rlinf-0", "--grace-period=0", "--force")

    cluster.wait_until("the run is finished", lambda: is_finished(folder), within_s=400)
    log = cluster.kubectl("logs", "set-rlinf-0")
    assert "weights only: the optimizer" in log
    record = json.loads((folder / "attempts/2/attempt.json").read_text())
    assert record["first_step"] >= 2
    assert newest_updates(folder) == TOTAL_UPDATES
    cluster.helm("uninstall", "set", "--wait")


def test_a_job_trains_to_its_end(cluster: Cluster, verl_values: list[Path]) -> None:
    """Index 0 decides."""
    folder = run_folder(cluster, "once")
    cluster.helm("install", "once", str(CHART), *options(verl_values, "mode=job"))

    cluster.kubectl("wait", "--for=condition=Complete", "job", "--all", "--timeout=400s", timeout_s=420)

    assert is_finished(folder)
    assert newest_updates(folder) == TOTAL_UPDATES
    cluster.helm("uninstall", "once", "--wait")


def test_a_ray_job_trains_to_its_end(cluster: Cluster, verl_values: list[Path], kuberay: KubeRay) -> None:
    """The model was staged by the submitter's job, and every pod of KubeRay's cluster loads it."""
    folder = run_folder(cluster, "ray")
    cluster.helm("install", "ray", str(CHART), *options(verl_values, "mode=rayjob", *kuberay.values))

    cluster.wait_until("the run is finished", lambda: is_finished(folder), within_s=500)

    assert newest_updates(folder) == TOTAL_UPDATES
    cluster.helm("uninstall", "ray", "--wait")
