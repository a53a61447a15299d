"""What became of the patches of one process, in few lines: one for each import that led to some."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager

from .. import log
from .patch import Outcome, Patch, State

logger = log.of_step("patches")


class Report:
    """Collects the outcomes of nested imports, and logs them when the outermost one is done.

    The line has no process id, so that Ray can fold the same line of many workers into one.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._said: set[str] = set()
        self._outcomes: dict[State, list[str]] = {}

    def add(self, patch: Patch, outcome: Outcome) -> None:
        """Takes down what became of a patch on one of its modules."""
        text = patch.name if not outcome.reason else f"{patch.name} ({outcome.reason})"
        if outcome.state is State.DOES_NOT_MATCH:
            text = f"{text}; not cured: {patch.about.removesuffix('.')}"
        # A patch of several modules speaks once.
        if text not in self._said:
            self._said.add(text)
            self._outcomes.setdefault(outcome.state, []).append(text)

    @contextmanager
    def outermost(self) -> Generator[None]:
        """Surrounds an import; the outermost one logs."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._log()

    def _log(self) -> None:
        if not self._outcomes:
            return
        failed = State.DOES_NOT_MATCH in self._outcomes
        words = [f"{state.value}: {', '.join(self._outcomes[state])}" for state in State if state in self._outcomes]
        logger.log(logging.WARNING if failed else logging.INFO, "%s", "; ".join(words))
        self._outcomes = {}
