"""Two engines never write to one run folder, whichever pods, jobs and releases they belong to."""

import subprocess
import sys

import pytest

# Writes until its standard input ends.
WRITER = """
import sys
from rlinf_runtime.bootstrap import log
from rlinf_runtime.bootstrap.processes import Processes
from rlinf_runtime.bootstrap.sole_writer import sole_writer

folder, name, patience_s = sys.argv[1:]
log.configure("head")
with sole_writer(folder, name=name, processes=Processes(stop_s=5), patience_s=float(patience_s), still_s=9):
    print("writes", flush=True)
    sys.stdin.read()
"""


class Writer:
    """A process that wants to write to a folder."""

    def __init__(self, folder, name, *, patience_s):
        command = [sys.executable, "-c", WRITER, str(folder), name, str(patience_s)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)
        self.said = []

    def says(self, words):
        """Reads on to the line with these words; fails where it ends without."""
        for line in self.process.stdout:
            self.said.append(line)
            if words in line:
                return line
        raise AssertionError(f"it ended without saying {words!r}")

    def leave(self):
        self.process.communicate(timeout=60)


@pytest.fixture
def writer(tmp_path):
    """Starts a writer of one folder: `writer(name)`."""
    writers = []

    def start(name, patience_s=60):
        writers.append(Writer(tmp_path, name, patience_s=patience_s))
        return writers[-1]

    yield start
    for each in writers:
        each.process.kill()
        each.process.wait()


def test_the_next_writer_waits_until_the_former_has_left(writer, tmp_path):
    """It says for whom, and nothing is left in the folder after both."""
    former = writer("team-a/run-0")
    former.says("writes\n")
    following = writer("team-b/run-0")

    assert f"team-a/run-0 writes to {tmp_path}: waiting until it has left" in following.says("waiting")
    former.leave()
    following.says("writes\n")
    following.leave()

    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_stays_is_named(writer, tmp_path):
    """It lives, so the other's patience ends: with the folder and what to do."""
    writer("team-a/run-0").says("writes\n")

    refused = writer("team-b/run-0", patience_s=14)

    sentence = refused.says("BootstrapError: ")
    assert f"team-a/run-0 writes to the run folder {tmp_path}, and still does after 14 s" in sentence
    assert "another claim or name" in sentence


def test_the_next_life_of_a_killed_pod_goes_on_at_once(writer):
    """It has the same name."""
    killed = writer("team/run-0")
    killed.says("writes\n")
    killed.process.kill()

    following = writer("team/run-0")
    following.says("writes\n")

    assert following.said == ["writes\n"]


def test_others_take_the_place_of_a_killed_pod_when_it_has_been_still_for_a_while(writer):
    """Its file alone keeps nobody."""
    killed = writer("team/run-0")
    killed.says("writes\n")
    killed.process.kill()

    following = writer("team/run-0, job a1b2c3")

    following.says("team/run-0 shows no life for 9 s: taking its place")
    following.says("writes\n")


@pytest.mark.xdist_group("ray")
def test_a_head_waits_before_it_looks_for_checkpoints(run_tree, start_pod, tmp_path, writer):
    """So that it goes on from what the former writer saved last."""
    run_tree |= {"nodes": {"count": 1, "gpus": 0, "efa_devices": 0}, "folder": str(tmp_path)}
    former = writer("team-a/rlinf-0")
    former.says("writes\n")

    head = start_pod(run_tree, 0, POD_NAMESPACE="team-b")
    head.wait_for_line("team-a/rlinf-0 writes to")
    assert "attempt 1" not in head.output
    former.leave()

    assert head.exit_code() == 0
    assert not (tmp_path / "writer").exists()
