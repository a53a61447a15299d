"""The bootstrap's log: one line each, with a clock, the role and the step that speaks."""

import logging
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager


def of_step(step: str) -> logging.Logger:
    """The logger of a step; not named after a module, for `__main__` has none and one step may span several."""
    return logging.getLogger(f"{__package__}.{step}")


class _Formatter(logging.Formatter):
    def __init__(self, role: str) -> None:
        super().__init__(f"%(asctime)s {role:<6} %(step)-8s %(message)s", datefmt="%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        record.step = record.name.rpartition(".")[2]
        return super().format(record)


def configure(role: str) -> None:
    """Sends the log of this package, and of nothing else, to stdout."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(_Formatter(role))
    root = logging.getLogger(__package__)
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    root.propagate = False


class Stopwatch:
    """Tells our own overhead from the time that Ray, the engine and the other nodes take."""

    def __init__(self) -> None:
        # The interpreter's own start counts as ours: what it has cost so far is its CPU time.
        self._started_s = time.monotonic() - time.process_time()
        self._others_s = 0.0
        self.current_step = "start"

    @contextmanager
    def step(self, name: str, what: str, *, ours: bool) -> Generator[None]:
        """Logs one line with the step's duration when it is done; `ours` says whether it counts as overhead."""
        began_s = time.monotonic()
        self.current_step = name
        try:
            yield
        finally:
            took_s = time.monotonic() - began_s
            if not ours:
                self._others_s += took_s
        of_step(name).info("%s: %.2f s", what, took_s)

    def log_overhead(self) -> None:
        """Logs what the bootstrap itself has cost up to now."""
        total_s = time.monotonic() - self._started_s
        of_step("overhead").info(
            "%.2f s of %.1f s are ours: all but Ray's start, the engine and waiting for others",
            total_s - self._others_s,
            total_s,
        )
