"""All checks together: side by side, all findings at once, none for ever."""

import threading
import time

import pytest

from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode
from rlinf_runtime.bootstrap.preflight import checks, preflight
from rlinf_runtime.bootstrap.preflight.child import ChildError, ask
from rlinf_runtime.bootstrap.preflight.finding import Finding, size
from rlinf_runtime.bootstrap.processes import Processes


def finds(wrong, *, is_fatal=True):
    return lambda _config, _environ: [Finding(key="nodes.gpus", wrong=wrong, remedy="look", is_fatal=is_fatal)]


@pytest.fixture
def run(config_of):
    """Runs checks: `run(name=check, ...)`; options of the run come as a dictionary."""
    return lambda options=None, **chosen: preflight.run_checks(
        config_of(**(options or {})), chosen, Processes(stop_s=1)
    )


def test_one_finding_is_the_whole_sentence(run):
    """It goes to the termination log as it is."""
    with pytest.raises(BootstrapError, match=r"^nodes\.gpus is 8: look$") as refusal:
        run(gpus=finds("is 8"), cpus=lambda *_: [])
    assert refusal.value.exit_code is ExitCode.PREFLIGHT


def test_all_findings_are_reported_at_once(run):
    """Nobody wants to mend one thing an hour."""
    with pytest.raises(BootstrapError, match="2 things are wrong on this node") as refusal:
        run(gpus=finds("is 8"), efa=finds("is 0"))
    assert refusal.value.details == ("nodes.gpus is 8: look", "nodes.gpus is 0: look")


def test_a_warning_does_not_end_the_run(run, caplog):
    """It is in the log."""
    run(memory=finds("is small", is_fatal=False))
    assert "nodes.gpus is small: look" in caplog.text


def test_no_failure_of_a_checks_program_is_lost(run):
    """Whoever reaps the pod's orphans leaves to each check the status of its own program."""

    def fails(_config, environ):
        for _ in range(10):
            try:
                ask(["false"], environ, within_s=30)
            except ChildError:
                continue
            return [Finding(key="status", wrong="was lost", remedy="look")]
        return []

    run(**{f"check{number}": fails for number in range(8)})


@pytest.mark.parametrize("options", [{"skip": ["gpus"]}, {"enabled": False}])
def test_a_check_can_be_left_out(run, options):
    """By its name, or all of them."""
    run(options, gpus=finds("is 8"))


def test_a_check_that_fails_itself_lets_the_run_go_on(run, caplog):
    """A fault of ours is no fault of the node's."""

    def broken(_config, _environ):
        raise ZeroDivisionError

    run(gpus=broken)
    assert "the check gpus failed itself: ZeroDivisionError()" in caplog.text


def test_checks_run_side_by_side(run):
    """Each of three goes on once the two others have begun."""
    all_began = threading.Barrier(3, timeout=30)

    def slow(_config, _environ):
        all_began.wait()
        return []

    run(one=slow, two=slow, three=slow)
    assert not all_began.broken


def test_a_check_without_an_answer_is_a_finding(run, monkeypatch, caplog):
    """A volume that hangs is named, after a line that says who is waited for."""
    caplog.set_level("INFO")
    monkeypatch.setattr(preflight, "_DEADLINE_S", 0.5)
    monkeypatch.setattr(preflight, "_PROGRESS_S", 0.2)
    with pytest.raises(BootstrapError, match="the check model has no answer after 0 s: look whether the volumes"):
        run(model=lambda *_: time.sleep(3) or [], gpus=lambda *_: [])
    assert "still checking after 0 s: model" in caplog.text


def test_every_check_of_a_healthy_node_passes(run):
    """This machine runs the native engine on CPUs."""
    run({"engine": "native"}, **checks.ALL)


@pytest.mark.parametrize(("num_bytes", "words"), [(5, "5 B"), (3 << 20, "3.0 MiB"), (5 << 40, "5.0 TiB")])
def test_sizes_are_written_as_in_values(num_bytes, words):
    """With Kubernetes' binary units."""
    assert size(num_bytes) == words
