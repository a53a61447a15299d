"""Signals, waiting, and the processes that the bootstrap starts: none of them outlives it."""

import ctypes
import os
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .exit_codes import BootstrapError, ExitCode
from .output import lines

_TAIL_LINES = 50
_KILLED_GONE_S = 5.0
_RESERVE_S = 4.0
_PR_SET_CHILD_SUBREAPER = 36


class TerminatedError(BootstrapError):
    """SIGTERM or SIGINT came."""

    def __init__(self) -> None:
        super().__init__(ExitCode.TERMINATED, "terminated by a signal")


class Child:
    """A program in a session of its own, whose output is read line by line; the last lines are kept in `tail`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environ: Mapping[str, str],
        cwd: str | None = None,
        on_line: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._on_line = on_line
        self._process = subprocess.Popen(
            command,
            env=environ,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._reader = threading.Thread(target=self._read, name=f"output-{self.pid}", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for text in lines(self._process.stdout):
            self.tail.append(text)
            self._on_line(text)

    def exit_status(self) -> int | None:
        """The exit status (negative: the signal that killed it), or None while it runs."""
        status = self._process.poll()
        if status is not None:
            # Its own children may hold the pipe open for longer than it lived.
            self._reader.join(timeout=1.0)
        return status

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to the program, not to its children: it knows best what to do with them."""
        self._process.send_signal(number)


class Processes:
    """Everything that this process started, and the signals that it gets.

    The process becomes the reaper of its orphaned descendants, as PID 1 of a container is anyway: zombies are reaped,
    and whatever a program leaves behind is found and ended.
    """

    def __init__(self, stop_s: float, on_wait: Callable[[], None] = lambda: None) -> None:
        """Takes over the signals.

        Args:
            stop_s: between the first signal and the last process's end.
            on_wait: is called before each wait, which no loop of the bootstrap does without for long.
        """
        self._stop_s = stop_s
        self._on_wait = on_wait
        self._stop_at_s: float | None = None
        self._children: dict[int, Child] = {}
        self._has_started = False
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # Handlers that do nothing, and a pipe that wakes up `select`: no code of ours runs inside a handler.
        self._wakeup, wakeup_writer = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(wakeup_writer, False)
        signal.set_wakeup_fd(wakeup_writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, lambda _number, _frame: None)

    def start(
        self,
        command: Sequence[str],
        *,
        environ: Mapping[str, str],
        cwd: str | None = None,
        on_line: Callable[[str], None] = lambda _: None,
    ) -> Child:
        """Starts a program.

        Raises:
            OSError: it cannot be started.
        """
        child = Child(command, environ=environ, cwd=cwd, on_line=on_line)
        self._children[child.pid] = child
        self._has_started = True
        return child

    def sleep(self, seconds: float) -> None:
        """Waits; returns early when a child ends.

        Raises:
            TerminatedError: SIGTERM or SIGINT came, now or before.
        """
        self._wait(seconds)
        if self._stop_at_s is not None:
            raise TerminatedError

    def grace_s(self) -> float:
        """Seconds for others to end well: what is left of `stop_s`, but for the end of Ray and our own."""
        return max(0.0, self._stop_left_s() - min(_RESERVE_S, self._stop_s / 4))

    def stop(self, child: Child, *, within_s: float) -> None:
        """Ends a program and its session: SIGTERM, and SIGKILL after `within_s` or as soon as `stop_s` is over."""
        deadline_s = time.monotonic() + within_s
        if child.exit_status() is None:
            child.send(signal.SIGTERM)
        while child.exit_status() is None and self._stop_left_s() > 0 and time.monotonic() < deadline_s:
            self._wait(0.1)
        _kill(lambda process: process.session == child.pid, self._reap)

    def wait_until(self, done: Callable[[], bool], *, within_s: float) -> None:
        """Waits for a condition while stopping: further signals only shorten it."""
        deadline_s = time.monotonic() + min(within_s, self._stop_left_s())
        while not done() and self._stop_left_s() > 0 and time.monotonic() < deadline_s:
            self._wait(0.2)

    def kill_all(self) -> None:
        """Kills every descendant that is left and waits until it is gone."""
        _kill(lambda _: True, self._reap)

    def _stop_left_s(self) -> float:
        return self._stop_s if self._stop_at_s is None else max(0.0, self._stop_at_s - time.monotonic())

    def _wait(self, seconds: float) -> None:
        self._on_wait()
        if select.select([self._wakeup], [], [], max(0.0, seconds))[0]:
            for number in os.read(self._wakeup, 4096):
                if number in (signal.SIGTERM, signal.SIGINT):
                    self._on_stop_signal()
        # Before, all there is are programs of the checks, whose own threads wait for their status.
        if self._has_started:
            self._reap()

    def _on_stop_signal(self) -> None:
        now_s = time.monotonic()
        # The second signal means now.
        self._stop_at_s = now_s + self._stop_s if self._stop_at_s is None else now_s

    def _reap(self) -> None:
        for pid in [pid for pid, child in self._children.items() if child.exit_status() is not None]:
            del self._children[pid]
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None or ended.si_pid in self._children:
                return
            # The thread of a check that came late waits for its own program, and may be faster.
            with suppress(ChildProcessError):
                os.waitpid(ended.si_pid, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Descendant:
    pid: int
    session: int


def _kill(chosen: Callable[[_Descendant], bool], reap: Callable[[], None]) -> None:
    """Kills the chosen descendants until none is left; one in uninterruptible sleep is left to the kernel."""
    until_s = time.monotonic() + _KILLED_GONE_S
    while (left := [each for each in _descendants(os.getpid()) if chosen(each)]) and time.monotonic() < until_s:
        for each in left:
            with suppress(ProcessLookupError):
                os.kill(each.pid, signal.SIGKILL)
        time.sleep(0.02)
        reap()


def _descendants(root: int) -> list[_Descendant]:
    """Processes below `root`, zombies included, from /proc."""
    children: dict[int, list[_Descendant]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):
            stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            # pid (name) state parent group session ...; the name may hold spaces and parentheses itself.
            _, parent, _, session, *_ = stat.rpartition(")")[2].split()
            found = _Descendant(pid=int(entry.name), session=int(session))
            children.setdefault(int(parent), []).append(found)
    descendants = list(children.get(root, ()))
    for each in descendants:
        descendants.extend(children.get(each.pid, ()))
    return descendants
