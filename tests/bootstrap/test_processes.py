"""What the bootstrap starts ends with it, whatever it does; each scene plays in a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest

SETTING = """
import os, signal, time
from rlinf_runtime.bootstrap.processes import *
processes = Processes(stop_s=4)
"""


@pytest.fixture
def play():
    """Runs a scene with `processes` (stop_s is 4) and returns what it printed."""

    def run(scene):
        program = SETTING + textwrap.dedent(scene)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=30)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    return run


def processes_of(mark):
    """How many processes carry the mark in their arguments, whoever their parent is."""
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return sum(mark in line and "python" not in line for line in listing.splitlines())


def test_orphans_are_reaped_and_inherited(play):
    """As PID 1 of a container would: a zombie is taken away, and what still runs is found and killed."""
    mark = f"6{os.getpid()}"
    assert play(
        f"""
        child = processes.start(["sh", "-c", "sleep 0.2 & setsid sleep {mark} & exit 3"], environ=os.environ)
        until_s = time.monotonic() + 1
        while time.monotonic() < until_s:
            processes.sleep(0.1)
        print(child.exit_status(), os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG))
        processes.kill_all()
        """
    ) == ["3", "None"]
    assert processes_of(mark) == 0


def test_a_program_that_ignores_sigterm_is_killed_with_its_session(play):
    """SIGTERM first, SIGKILL after the time it was given."""
    mark = f"7{os.getpid()}"
    took_s, status = play(
        f"""
        script = "trap '' TERM; echo here; sleep {mark}"
        child = processes.start(["sh", "-c", script], environ=os.environ)
        while not child.tail:
            processes.sleep(0.1)
        began_s = time.monotonic()
        processes.stop(child, within_s=0.5)
        print(time.monotonic() - began_s, child.exit_status())
        """
    )
    assert 0.5 <= float(took_s) < 20
    assert status == "-9"
    assert processes_of(mark) == 0


def test_the_first_sigterm_ends_sleeping_and_the_second_ends_patience(play):
    """After one signal others have a grace period; after two they have none."""
    assert play(
        """
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            processes.sleep(10)
        except TerminatedError:
            print(0 < processes.grace_s() <= 3)
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            processes.sleep(10)
        except TerminatedError:
            print(processes.grace_s())
        """
    ) == ["True", "0.0"]


def test_output_arrives_line_by_line_and_the_last_lines_are_kept(play):
    """A progress bar's carriage returns make lines too, and broken UTF-8 does no harm."""
    assert play(
        r"""
        lines = []
        child = processes.start(["printf", r"one\rtwo\n\377three"], environ=os.environ, on_line=lines.append)
        while child.exit_status() is None:
            processes.sleep(0.1)
        print(*map(ascii, lines), list(child.tail) == lines)
        """
    ) == ["'one'", "'two'", r"'\ufffdthree'", "True"]
