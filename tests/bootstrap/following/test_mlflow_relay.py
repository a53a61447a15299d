"""Metrics reach a real MLflow server whatever happens to it and to this pod: none is lost, and none is sent twice."""

import json
import math
import time
from collections import Counter

import pytest

from rlinf_runtime.bootstrap.exit_codes import ExitCode
from tests_support import wait_until

pytestmark = pytest.mark.slow

FLUSH_S = 60.0


def steps(at_server, key):
    return sorted(step for step, _ in at_server()["points"].get(key, ()))


def test_metrics_arrive_with_their_names_steps_and_times(relay_of, gateway, verl_log, at_server):
    """The run has the chart's name and tags, and ends as the engine's did."""
    verl_log(0, {"val/test_score/all": 0.25})
    verl_log(0, {"critic/rewards/mean": 1.5, "actor/lr@group": 5e-6, "note": "text"})
    relay = relay_of(gateway.address)
    verl_log(1, {"critic/rewards/mean": math.nan})
    verl_log(2, {"critic/rewards/mean": math.inf})
    relay.end("FINISHED", within_s=FLUSH_S)

    run = at_server()
    assert (run["status"], run["name"], run["tags"]["team"]) == ("FINISHED", "rel-rlinf", "arm")
    assert run["points"] == {
        "val/test_score/all": {(0, 1796040000000)},
        "critic/rewards/mean": {(0, 1796040001000), (1, 1796040002000), (2, 1796040003000)},
        "actor/lr_group": {(0, 1796040001000)},
    }


def test_a_server_that_comes_late_gets_everything(relay_of, gateway, verl_log, at_server, caplog):
    """The training does not wait for it, and the log says that metrics do, once."""
    gateway.close()
    relay = relay_of(gateway.address)
    for step in range(20):
        verl_log(step, {"loss": step})
    wait_until(lambda: "no answer from http" in caplog.text)
    time.sleep(1)
    gateway.open()
    relay.end("FINISHED", within_s=FLUSH_S)

    assert steps(at_server, "loss") == list(range(20))
    assert caplog.text.count("metrics wait in") == 1


def test_what_a_server_accepted_without_saying_so_is_not_sent_again(relay_of, gateway, verl_log, at_server):
    """Answers are lost on the way back, again and again; the server is asked what it has."""
    gateway.faults.extend(["lose", 503, "lose", 429, "lose", 500])
    relay = relay_of(gateway.address)
    for step in range(10):
        verl_log(step, {"loss": step, "reward": 1})
        time.sleep(0.1)
    relay.end("FINISHED", within_s=FLUSH_S)

    assert steps(at_server, "loss") == steps(at_server, "reward") == list(range(10))
    assert max(Counter(gateway.logged).values()) == 1


@pytest.mark.parametrize("cursor", ["kept", "lost its last marks"])
def test_a_new_life_of_the_pod_goes_on_with_the_same_run(relay_of, gateway, verl_log, at_server, cursor):
    """Also when it died between the server's answer and its own note of it."""
    first = relay_of(gateway.address)
    for step in range(5):
        verl_log(step, {"loss": step})
    wait_until(lambda: len(gateway.logged) == 5)
    first.end("KILLED", within_s=FLUSH_S)
    if cursor != "kept":
        file = first.cursor_file
        file.write_text(json.dumps(json.loads(file.read_text()) | {"sent": []}))
    verl_log(5, {"loss": 5})
    second = relay_of(gateway.address)
    wait_until(lambda: at_server()["status"] == "RUNNING" and len(gateway.logged) == 6)
    second.end("FINISHED", within_s=FLUSH_S)

    assert steps(at_server, "loss") == list(range(6))
    assert at_server()["status"] == "FINISHED"
    assert max(Counter(gateway.logged).values()) == 1


def test_a_start_that_went_on_from_a_checkpoint_counts_on(relay_of, gateway, verl_log, attempt_began_at, at_server):
    """The engine counts from 0 again."""
    relay = relay_of(gateway.address)
    verl_log(0, {"loss": 1})
    attempt_began_at(2, 25)
    verl_log(0, {"loss": 2}, attempt=2)
    verl_log(1, {"loss": 3}, attempt=2)
    relay.end("FINISHED", within_s=FLUSH_S)
    assert steps(at_server, "loss") == [0, 25, 26]


def test_half_a_line_waits_for_its_other_half(relay_of, gateway, verl_log, at_server, tmp_path):
    """And a new log beside the old one is followed too."""
    relay = relay_of(gateway.address)
    verl_log(0, {"loss": 1}, end="")
    time.sleep(1)
    assert gateway.logged == []
    [log] = (tmp_path / "run/attempts/1/checkpoints").iterdir()
    with log.open("a") as file:
        file.write("\n")
    verl_log(1, {"loss": 2}, name="run_20261130_130000.log")
    relay.end("FINISHED", within_s=FLUSH_S)
    assert steps(at_server, "loss") == [0, 1]


def test_the_native_engines_file_may_be_written_anew(relay_of, gateway, at_server, tmp_path):
    """A resumed run drops the lines beyond its checkpoint, and measures those steps again."""
    file = tmp_path / "run/metrics.jsonl"

    def line(step, timestamp_s):
        return json.dumps({"step": step, "timestamp_s": timestamp_s, "loss": step}) + "\n"

    relay = relay_of(gateway.address, "native")
    file.write_text(line(1, 10.5) + line(2, 11.5) + line(3, 12.5))
    wait_until(lambda: len(gateway.logged) == 3)
    partial = file.with_suffix(".partial")
    partial.write_text(line(1, 10.5) + line(2, 11.5))
    partial.replace(file)
    with file.open("a") as appended:
        appended.write(line(3, 99.5))
    relay.end("FINISHED", within_s=FLUSH_S)

    assert at_server()["points"] == {"loss": {(1, 10500), (2, 11500), (3, 12500), (3, 99500)}}
    assert max(Counter(gateway.logged).values()) == 1


def test_a_metric_that_is_refused_for_ever_stops_no_other(relay_of, gateway, verl_log, at_server, caplog):
    """A name may be longer than MLflow takes."""
    verl_log(0, {"a": 1, "x" * 300: 2, "b": 3, "c": 4})
    relay = relay_of(gateway.address)
    verl_log(1, {"a": 5})
    relay.end("FINISHED", within_s=FLUSH_S)
    assert at_server()["points"].keys() == {"a", "b", "c"}
    assert steps(at_server, "a") == [0, 1]
    assert f"MLflow refuses {'x' * 300} of step 0" in caplog.text


def test_a_run_that_somebody_deletes_is_made_again(relay_of, gateway, verl_log, at_server, delete_run):
    """With all metrics from the first."""
    relay = relay_of(gateway.address)
    verl_log(0, {"loss": 1})
    wait_until(lambda: gateway.logged)
    delete_run(at_server()["id"])
    verl_log(1, {"loss": 2})
    relay.end("FINISHED", within_s=FLUSH_S)
    assert steps(at_server, "loss") == [0, 1]


def test_a_batch_beyond_mlflows_limit_is_cut(relay_of, gateway, verl_log, at_server):
    """One request takes 1000 metrics."""
    verl_log(0, {f"m{number}": number for number in range(1500)})
    relay = relay_of(gateway.address)
    relay.end("FINISHED", within_s=FLUSH_S)
    assert len(at_server(with_points=False)["keys"]) == len(gateway.logged) == 1500


def test_a_server_that_hangs_does_not_hold_up_the_end(relay_of, gateway, verl_log, caplog):
    """The pod ends in time, and says where the metrics are."""
    gateway.faults.append("hang")
    verl_log(0, {"loss": 1})
    relay = relay_of(gateway.address)
    wait_until(lambda: not gateway.faults)
    began_s = time.monotonic()
    relay.end("KILLED", within_s=1.0)
    assert time.monotonic() - began_s < 20
    assert "does not answer; what it lacks is in" in caplog.text


@pytest.mark.parametrize(
    ("environ", "header"),
    [
        ({"MLFLOW_TRACKING_TOKEN": "abc"}, "Bearer abc"),
        ({"MLFLOW_TRACKING_USERNAME": "me", "MLFLOW_TRACKING_PASSWORD": "pw"}, "Basic bWU6cHc="),
        ({"MLFLOW_TRACKING_USERNAME": "me"}, None),
    ],
)
def test_credentials_are_those_of_mlflows_own_client(relay_of, gateway, verl_log, environ, header):
    """A token, or user and password."""
    verl_log(0, {"loss": 1})
    relay_of(gateway.address, **environ).end("FINISHED", within_s=FLUSH_S)
    assert gateway.headers.get("Authorization") == header


def test_a_server_that_is_killed_and_started_again_has_it_all(relay_of, mlflow_process, verl_log, at_server):
    """Midway, with its database kept."""
    relay = relay_of(mlflow_process.address)
    for step in range(5):
        verl_log(step, {"loss": step})
    wait_until(lambda: len(json.loads(relay.cursor_file.read_text())["sent"]) == 5)
    mlflow_process.kill()
    for step in range(5, 10):
        verl_log(step, {"loss": step})
        time.sleep(0.2)
    mlflow_process.start()
    relay.end("FINISHED", within_s=FLUSH_S)
    assert steps(at_server, "loss") == list(range(10))


@pytest.mark.parametrize(
    ("code", "status"),
    [(None, "FINISHED"), (ExitCode.ENGINE_FAILED, "FAILED"), (ExitCode.TERMINATED, "KILLED")],
)
def test_the_run_ends_as_the_engine_did(relaying_run, verl_log, at_server, code, status):
    """Around the engine's runs, with what the pod's environment says."""
    verl_log(0, {"loss": 1})
    relaying_run(code)
    assert at_server()["status"] == status
