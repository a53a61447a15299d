"""The keeper of a container's processes."""

import os
import subprocess
import sys

import pytest

from rlinf_charts.local import shim


def keep(*command: str, parent_pid: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command under the shim."""
    arguments = [sys.executable, "-I", "-S", shim.__file__, str(parent_pid or os.getpid()), "1", *command]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=20, check=False)


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill $$", 143)])
def test_the_exit_code_is_the_containers(script: str, code: int) -> None:
    """128 + N stands for signal N."""
    assert keep("sh", "-c", script).returncode == code


def test_a_command_that_does_not_exist_is_named() -> None:
    """As a shell would, with exit code 127."""
    result = keep("no-such-program")

    assert result.returncode == 127
    assert result.stderr == "cannot run no-such-program: No such file or directory\n"


def test_nothing_starts_when_the_parent_is_gone() -> None:
    """A local that died before the shim asked to be told leaves no container."""
    result = keep("echo", "started", parent_pid=1)

    assert (result.returncode, result.stdout) == (1, "")


def test_background_processes_end_with_the_command() -> None:
    """The pipe closes at once, because the sleeper that holds it in a session of its own is killed."""
    assert keep("sh", "-c", "setsid sleep 600 & echo started").stdout == "started\n"


def test_the_container_gets_no_signal_mask_and_no_files() -> None:
    """It starts as in a shell: nothing blocked, only the three standard files open."""
    show = "grep SigBlk /proc/self/status; ls /proc/self/fd | wc -l"
    blocked, open_files = keep("sh", "-c", show).stdout.splitlines()

    assert int(blocked.split()[1], 16) == 0
    assert int(open_files) == 4  # and the one by which ls reads the folder
