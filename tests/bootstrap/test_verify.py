"""`helm test` and the checks alone, as pods of their own."""

import hashlib
import json
from pathlib import Path

NOBODY = "http://127.0.0.1:9"


def test_a_formed_cluster_with_its_gpus_passes_and_one_without_them_does_not(run_tree, start_pod):
    """Ray is asked what each node has; the run's own folder is tried first."""
    run_tree["nodes"] = {"count": 1, "gpus": 1, "efa_devices": 0}
    run_tree["preflight"]["skip"] = ["gpus"]
    run_tree["engine"]["hydra"] = {"fake": {"do": "train"}}
    head = start_pod(run_tree, 0)
    head.wait_for_line("attempt 1 of 3")

    passed = start_pod({**run_tree, "ray": run_tree["ray"] | {"head_host": "127.0.0.2"}}, 0, "verify")
    assert passed.exit_code() == 0
    assert "all 1 nodes are there: rlinf-0" in passed.output
    assert "each of them has 1 GPUs for Ray" in passed.output

    more = {**run_tree, "nodes": {"count": 1, "gpus": 8, "efa_devices": 0}}
    failed = start_pod(more, 0, "verify")
    assert failed.exit_code() == 11
    assert "nodes.gpus is 8, but of Ray's nodes rlinf-0 has 1: look at" in failed.termination_log.read_text()


def test_an_mlflow_server_that_does_not_answer_is_said(run_tree, start_pod):
    """Metrics would wait in the run folder until somebody notices."""
    pod = start_pod(run_tree, 0, "verify", MLFLOW_TRACKING_URI=NOBODY)
    assert pod.exit_code() == 11
    reason = pod.termination_log.read_text()
    assert reason.startswith(
        f"PREFLIGHT: tracking.mlflow.trackingUri is {NOBODY}, but metrics cannot be sent there (no"
    )


def test_a_finished_run_needs_no_cluster(run_tree, start_pod, lay_out):
    """Its marker has the digest of this very run."""
    folder = Path(run_tree["folder"])
    folder.mkdir()
    digest = hashlib.sha256((lay_out(run_tree) / "run.json").read_bytes()).hexdigest()
    (folder / "finished.json").write_text(json.dumps({"digest": digest, "finished_at": ""}))
    pod = start_pod(run_tree, 0, "verify")
    assert pod.exit_code() == 0
    assert "this run is finished" in pod.output


def test_the_checks_run_alone(run_tree, start_pod):
    """As KubeRay's pods have it: one line a check, and every fault in the termination log."""
    passed = start_pod(run_tree, 0, "preflight")
    assert passed.exit_code() == 0
    for name in ("model", "gpus", "rendering"):
        assert f"check    {name}: passed: " in passed.output

    run_tree["nodes"]["gpus"] = 4096
    failed = start_pod(run_tree, 0, "preflight")
    assert failed.exit_code() == 11
    reason = failed.termination_log.read_text()
    assert reason.startswith("PREFLIGHT: 3 things are wrong on this node")
    for key in ("nodes.gpus is 4096", "nodes.resources.limits.cpu leaves", "nodes.sharedMemory leaves"):
        assert key in reason


def test_a_node_with_a_fault_starts_no_ray(run_tree, start_pod):
    """The head ends in its first step, with the code after which a Job is not tried again."""
    run_tree["nodes"]["gpus"] = 8
    run_tree["preflight"]["skip"] = ["cpus", "sharedMemory", "rendering"]
    head = start_pod(run_tree, 0)
    assert head.exit_code() == 11
    assert head.termination_log.read_text().startswith("PREFLIGHT: nodes.gpus is 8, but this pod has 0")
    assert "head started" not in head.output
    assert head.processes() == []
