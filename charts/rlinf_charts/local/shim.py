"""The keeper of one container's processes: `python shim.py PARENT_PID GRACE_S COMMAND...`.

What a PID namespace does for a container, without privileges: when the container's first process ends, or `local`
itself dies in whatever way, every process that descends from it ends too, daemons in sessions of their own included.
The shim is a subreaper, so that orphans become its children; it kills only its own unreaped children, whose ids the
kernel cannot give to anybody else.
"""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

# <linux/prctl.h>
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_WAKING_SIGNALS = {signal.SIGTERM, signal.SIGCHLD}


def main(parent_pid: int, grace_s: float, command: list[str]) -> int:
    """Run the command to its end, or to `grace_s` after SIGTERM; return its exit code, 128 + N for signal N."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, _WAKING_SIGNALS)
    if os.getppid() != parent_pid:
        return 1
    container = _start(command)
    exit_code = _follow(container, grace_s)
    _kill_children()
    return exit_code


def _start(command: list[str]) -> int:
    """Fork and execute the command in a session of its own; return its process id."""
    shim_pid = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        if os.getppid() == shim_pid:
            os.execvp(command[0], command)  # noqa: S606 - the container's own command
    except OSError as error:
        sys.stderr.write(f"cannot run {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
    os._exit(127)


def _follow(container: int, grace_s: float) -> int:
    """Reap until the container ends; pass SIGTERM on to it, and give up `grace_s` later."""
    deadline = float("inf")
    while True:
        if (exit_code := _reap(container)) is not None:
            return exit_code
        if time.monotonic() >= deadline:
            return 128 + signal.SIGKILL
        received = signal.sigtimedwait(_WAKING_SIGNALS, min(deadline - time.monotonic(), 60))
        if received and received.si_signo == signal.SIGTERM and deadline == float("inf"):
            deadline = time.monotonic() + grace_s
            os.kill(container, signal.SIGTERM)


def _reap(container: int) -> int | None:
    """Reap every ended child; return the container's exit code when it is one of them."""
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == container:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if pid == 0:
            return None


def _kill_children() -> None:
    """Kill the children, then the orphans that they leave to the shim, until there are none."""
    while True:
        for pid in _children():
            os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    shim_pid = str(os.getpid())
    return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/stat") if _parent(path) == shim_pid]


def _parent(stat: Path) -> str:
    """The parent's id in /proc/PID/stat: the second field after the name, which stands in brackets."""
    try:
        return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl failed")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
