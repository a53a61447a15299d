"""Whole pods under a real Ray: two nodes on one machine, 127.0.0.2 and 127.0.0.3."""

import json
import os
import re
import socket
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap.dashboard import Dashboard

TOKEN = "0123456789abcdef0123456789abcdef"
WRONG_TOKEN = "f" * 32


def test_a_late_worker_completes_the_cluster_and_the_run_is_marked_as_finished(run_tree, start_pod):
    """The head names who is missing, runs the engine once on both nodes, and both pods end with 0."""
    head = start_pod(run_tree, 0)
    assert "1 of 2 nodes, missing: rlinf-1 after" in head.wait_for_line("missing")
    assert not head.ready_file.exists()
    worker = start_pod(run_tree, 1)
    head.wait_for_line("attempt 1 of 3")
    assert head.ready_file.exists()
    assert (head.exit_code(), worker.exit_code()) == (0, 0), head.output + worker.output
    assert head.output.count("2 ranks on nodes of their own") == 1
    for pod in (head, worker):
        assert pod.processes() == []
        assert not pod.ready_file.exists()
        overhead_s = re.search(r"overhead ([\d.]+) s of .* are ours", pod.output)
        assert overhead_s is not None
        assert float(overhead_s[1]) <= 2

    marker = json.loads((Path(run_tree["folder"]) / "finished.json").read_text())
    assert set(marker) == {"digest", "finished_at"}

    again = start_pod(run_tree, 0)
    assert again.exit_code() == 0
    assert "finished already" in again.output
    assert "attempt" not in again.output


def test_a_node_shows_its_metrics_on_the_runs_port(run_tree, start_pod):
    """The head does; a second pod of the same machine takes another port."""
    run_tree["engine"]["hydra"] = {"fake": {"do": "train"}}
    head = start_pod(run_tree, 0)
    start_pod(run_tree, 1)
    head.wait_for_line("2 ranks on nodes of their own")
    assert "ray_node_cpu_count" in scraped(f"http://127.0.0.2:{run_tree['ray']['metrics_port']}/metrics", within_s=90)


def scraped(url, *, within_s):
    """What a scrape sees, once Ray's agent has something to show."""
    deadline = time.monotonic() + within_s
    text = ""
    while "ray_node_cpu_count" not in text and time.monotonic() < deadline:
        time.sleep(0.5)
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
            text = answer.read().decode()
    return text


def test_a_changed_run_trains_again(run_tree, start_pod):
    """A marker with another digest does not keep the head from running the engine; `hold` ends with 0 on SIGTERM."""
    folder = Path(run_tree["folder"])
    folder.mkdir()
    (folder / "finished.json").write_text('{"digest": "of another run", "finished_at": "2026-01-01T00:00:00+00:00"}')
    head = start_pod(run_tree | {"nodes": {"count": 1, "gpus": 0, "efa_devices": 0}, "on_finish": "hold"}, 0)
    head.wait_for_line("holding this container")
    assert head.ready_file.exists()
    assert "1 ranks on nodes of their own" in head.output
    head.terminate()
    assert head.exit_code() == 0


def test_a_lost_worker_that_comes_back_and_a_lost_head_are_survived(run_tree, start_pod):
    """After a worker's death the head runs the engine again on the new node; after the head's the worker joins anew."""
    run_tree["engine"]["hydra"] = {"fake": {"do": "train"}}
    head, worker = start_pod(run_tree, 0), start_pod(run_tree, 1)
    head.wait_for_line("2 ranks on nodes of their own")

    worker.kill()
    head.wait_for_line("lost rlinf-1")
    worker = start_pod(run_tree, 1)
    head.wait_for_line("2 ranks on nodes of their own", times=2)
    assert "attempt 2 of 3" in head.output

    head.kill()
    worker.wait_for_line("the head's Ray is gone")
    head = start_pod(run_tree, 0)
    head.wait_for_line("2 ranks on nodes of their own")
    (Path(run_tree["folder"]) / "enough").write_text("")
    assert (head.exit_code(), worker.exit_code()) == (0, 0), head.output + worker.output


def test_a_wrong_token_is_said_plainly_and_the_head_does_not_wait_for_ever(run_tree, start_pod):
    """The worker fails at once with a code of its own; the head gives up at join_s and names the worker."""
    head = start_pod(run_tree | {"deadlines": run_tree["deadlines"] | {"join_s": 12}}, 0)
    worker = start_pod(run_tree, 1, RAY_AUTH_TOKEN=WRONG_TOKEN)
    assert worker.exit_code() == 13
    assert "RAY_AUTH_TOKEN must come from the same Secret in every pod" in worker.termination_log.read_text()
    assert head.exit_code() == 14
    assert "missing: rlinf-1" in head.termination_log.read_text()
    assert head.processes() == worker.processes() == []


def test_a_helm_test_with_a_wrong_token_fails_at_once_and_says_so(run_tree, start_pod):
    """As after a Secret has changed: it is not the nodes that are missing."""
    head = start_pod(run_tree, 0)
    head.wait_for_line("head started")
    verify = start_pod(run_tree, 1, "verify", RAY_AUTH_TOKEN=WRONG_TOKEN)
    assert verify.exit_code() == 13
    assert "refused this pod's token" in verify.termination_log.read_text()


def test_sigterm_lets_the_engine_save_and_leaves_nothing(run_tree, start_pod):
    """Both pods get SIGTERM at once, as when a release is uninstalled: the engine saves, and all end within stop_s."""
    run_tree["engine"]["hydra"] = {"fake": {"do": "train"}}
    run_tree["deadlines"]["stop_s"] = 40
    head, worker = start_pod(run_tree, 0), start_pod(run_tree, 1)
    head.wait_for_line("2 ranks on nodes of their own")
    began_s = time.monotonic()
    for pod in (worker, head):
        pod.terminate()
    assert (head.exit_code(), worker.exit_code()) == (143, 143), head.output + worker.output
    assert time.monotonic() - began_s < run_tree["deadlines"]["stop_s"]
    assert (Path(run_tree["folder"]) / "saved").exists()
    assert not (Path(run_tree["folder"]) / "finished.json").exists()
    assert head.processes() == worker.processes() == []


def test_a_failed_engine_is_explained_in_the_termination_log(run_tree, start_pod):
    """The engine's own failure is not tried again; its last lines are where `kubectl describe pod` shows them."""
    run_tree["engine"]["hydra"] = {"fake": {"do": "fail"}}
    head = start_pod(run_tree | {"nodes": {"count": 1, "gpus": 0, "efa_devices": 0}}, 0)
    assert head.exit_code() == 16
    assert "attempt 2" not in head.output
    reason = head.termination_log.read_text()
    assert reason.startswith("ENGINE_FAILED: the engine ended with status 1")
    assert reason.endswith("step 1\nthe loss is not finite")
    assert head.processes() == []


def test_a_worker_without_a_head_gives_up_at_the_join_deadline(run_tree, start_pod):
    """Nobody listens at the head's address: a progress line, then the deadline's own exit code."""
    run_tree["deadlines"]["join_s"] = 6
    worker = start_pod(run_tree, 1)
    worker.wait_for_line("no Ray head at 127.0.0.2")
    assert worker.exit_code() == 14
    assert "training.deadlines.joinSeconds is over" in worker.termination_log.read_text()


@pytest.mark.parametrize("name", ["port", "dashboard_port", "metrics_port"])
def test_a_port_that_is_taken_ends_the_head_before_ray_starts(run_tree, start_pod, name):
    """Ray would go on without its dashboard, or say after 40 s that something timed out."""
    port = run_tree["ray"][name]
    with socket.create_server(("127.0.0.2", port)):
        head = start_pod(run_tree, 0)
        assert head.exit_code() == 12
    key = {"port": "ray.port", "dashboard_port": "ray.dashboardPort", "metrics_port": "ray.metricsPort"}[name]
    assert f"another program listens on port {port} ({key}), which Ray needs" in head.termination_log.read_text()
    assert "ray      " not in head.output.replace("ray      stopped", "")


@pytest.mark.parametrize(
    ("says", "state"),
    [("", "has not started"), ("Ray runtime started.", "has started, but its dashboard at 127.0.0.2:")],
)
def test_a_ray_that_does_not_become_ready_is_reported_while_it_starts(run_tree, start_pod, tmp_path, says, state):
    """A line every ten seconds, and what is missing when the deadline is over."""
    ray = tmp_path / "ray"
    ray.write_text(f"#!/bin/sh\necho '{says}'; sleep 1000\n")
    ray.chmod(0o755)
    run_tree["deadlines"]["start_s"] = 16
    head = start_pod(run_tree, 0, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert re.search("after 1[0-5] s", head.wait_for_line(f"Ray {state}"))
    assert head.exit_code() == 12
    reason = head.termination_log.read_text()
    assert f"Ray {state}" in reason
    assert "training.deadlines.startSeconds" in reason
    assert head.processes() == []


def test_a_ray_that_finds_the_node_too_slow_is_started_again(run_tree, start_pod, tmp_path):
    """It allows 30 s for its own parts; the run has its own deadline."""
    ray, began = tmp_path / "ray", tmp_path / "began"
    words = "Exception: The current node timed out during startup."
    ray.write_text(f"#!/bin/sh\n[ -e {began} ] && exec sleep 1000\ntouch {began}; echo '{words}'; exit 1\n")
    ray.chmod(0o755)
    run_tree["deadlines"]["start_s"] = 8
    head = start_pod(run_tree, 0, PATH=f"{tmp_path}:{os.environ['PATH']}")
    head.wait_for_line("gave up: starting it again")
    assert head.exit_code() == 12
    assert "Ray has not started after 8 s" in head.termination_log.read_text()
    assert head.processes() == []


def test_a_head_whose_ray_ends_gives_its_last_words(run_tree, start_pod):
    """They explain why it did not start."""
    run_tree["ray"]["dashboard_port"] = run_tree["ray"]["port"]
    head = start_pod(run_tree, 0)
    assert head.exit_code() == 12
    assert "Ray on this node ended with status" in head.output


def test_a_worker_is_ready_before_its_head_is_there(run_tree, start_pod):
    """A rolling update replaces the worker first, and goes on to the head only when the worker is ready."""
    worker = start_pod(run_tree, 1)
    worker.wait_for_line("no Ray head at")
    assert worker.ready_file.exists()
    worker.terminate()
    assert worker.exit_code() == 143
    assert not worker.ready_file.exists()


def test_a_submitted_job_runs_on_the_cluster_that_is_there(run_tree, start_pod, tmp_path):
    """It waits for as many nodes as its run has, trains on them, marks its own run, and leaves the cluster alone."""
    run_tree["engine"]["hydra"] = {"fake": {"do": "train"}}
    run_tree["ray"]["num_cpus"] = 2
    head = start_pod(run_tree, 0)
    head.wait_for_line("head started")
    tree = run_tree | {
        "folder": str(tmp_path / "job"),
        "engine": run_tree["engine"] | {"hydra": {"fake": {"do": "succeed"}}},
    }
    job = start_pod(tree, 0, "submit", RAY_ADDRESS=f"127.0.0.2:{run_tree['ray']['port']}")
    assert "1 of 2 nodes with CPUs for Ray" in job.wait_for_line("nodes with CPUs")
    worker = start_pod(run_tree, 1)
    assert job.exit_code() == 0, job.output
    assert "2 ranks on nodes of their own" in job.output
    assert (tmp_path / "job/finished.json").exists()
    for pod in (head, worker):
        assert pod.processes() != []


def test_a_job_on_an_autoscaled_cluster_keeps_its_nodes(run_tree, start_pod, tmp_path):
    """Something is reserved on each node while the engine runs, else the autoscaler would take them; not after it."""
    run_tree["nodes"]["count"] = 1
    run_tree["ray"]["autoscaled"] = True
    run_tree["engine"]["hydra"] = {"fake": {"do": "train"}}
    head = start_pod(run_tree, 0)
    head.wait_for_line("attempt 1 of 3")
    tree = run_tree | {"folder": str(tmp_path / "job")}

    job = start_pod(tree, 0, "submit", RAY_ADDRESS=f"127.0.0.2:{run_tree['ray']['port']}")

    job.wait_for_line("asking Ray's autoscaler for 1 nodes")
    wait_until_reserved(run_tree, ["held-nodes"])
    job.kill()
    wait_until_reserved(run_tree, [])


def wait_until_reserved(run_tree, names):
    """Waits until Ray holds just these placement groups."""
    ray = run_tree["ray"]
    dashboard = Dashboard(f"{ray['head_host']}:{ray['dashboard_port']}", token=TOKEN)
    deadline_s = time.monotonic() + 60
    found = None
    while found != names:
        assert time.monotonic() < deadline_s, found
        time.sleep(0.5)
        with suppress(OSError):
            groups = dashboard.get("api/v0/placement_groups")["data"]["result"]["result"]
            found = [group["name"] for group in groups if group["state"] == "CREATED"]


def test_a_submitted_job_needs_a_cluster_around_it(run_tree, start_pod):
    """Started by hand it says how to start it."""
    job = start_pod(run_tree, 0, "submit")
    assert job.exit_code() == 10
    assert "RAY_ADDRESS is '', but must be HOST:PORT of a Ray head" in job.termination_log.read_text()
