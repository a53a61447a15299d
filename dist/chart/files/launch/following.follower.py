"""Follows one start of the engine: its output and its logs become progress, and progress is watched."""

import time
from collections import deque
from pathlib import Path

from .. import log
from ..attempt import Attempt
from ..run_config import EngineName, RunConfig
from ..staging import checkpoints
from ..staging.attempts import AttemptFolder, attempts_in
from .console import Event, meaning
from .event_logs import EventLogs
from .progress import Progress
from .run_log import RunLogs
from .status import RunStatus
from .watchdog import Watchdog

logger = log.of_step("follow")

# The patch after which an epoch of SimpleVLA-RL ends with a batch that is filled.
_COMPLETES_BATCHES = "epoch-end"


class Follower:
    """What is known of the engine while it runs."""

    def __init__(self, config: RunConfig, attempt: Attempt) -> None:
        self._engine: EngineName = config.engine.name
        self._keep = config.keep_checkpoints
        self._folder = AttemptFolder(Path(attempt.folder))
        self._heard: deque[Event] = deque()
        self._logs = (
            EventLogs(self._folder.path, first_step=attempt.first_step)
            if self._engine == "rlinf"
            else RunLogs(self._folder.checkpoints)
        )
        self._seen: str | None = None
        self.progress = Progress(time.monotonic, completes_batches=_COMPLETES_BATCHES not in config.engine.patches_off)
        self._status = RunStatus(config, attempt)
        self._watchdog = Watchdog(config.watchdog, self.progress, time.monotonic)

    def hear(self, line: str) -> None:
        """Takes in a line of the engine's output; called by the thread that reads it."""
        event = meaning(self._engine, line)
        if event is not None:
            self._heard.append(event)

    def check(self) -> None:
        """Takes in all that is new, and looks whether the engine gets anywhere.

        Raises:
            BootstrapError: (`STALLED`, `NO_UPDATES`) it does not.
        """
        self._take_in()
        self._watchdog.check()

    def check_end(self) -> None:
        """Takes in the rest of an engine that has ended well, and looks whether it has trained.

        Raises:
            BootstrapError: (`NO_UPDATES`) it has not.
        """
        self._take_in()
        self._watchdog.check_end()
        self._status.write(self.progress, "done")

    def close(self) -> None:
        """Lets go of the logs."""
        self._logs.close()

    def _take_in(self) -> None:
        for metrics in self._logs.new():
            self.progress.see(metrics)
        while self._heard:
            self.progress.see(self._heard.popleft())
        if self.progress.checkpoint != self._seen:
            self._seen = self.progress.checkpoint
            self._note_epochs()
            self._prune()
        self._status.write(self.progress)

    def _note_epochs(self) -> None:
        """Keeps how many epochs a checkpoint holds, of which the engine writes nothing."""
        step = self.progress.step_of_checkpoint()
        if step is None:
            return
        try:
            self._folder.note_epochs(step, self.progress.epochs)
        except OSError as error:
            logger.warning("cannot note that checkpoint %d holds %d epochs: %s", step, self.progress.epochs, error)

    def _prune(self) -> None:
        """When a checkpoint is begun, those before it are whole."""
        record = self._folder.record()
        if self._keep and record:
            earlier = attempts_in(self._folder.path.parents[1])
            checkpoints.prune(self._engine, earlier, keep=self._keep, but=record.checkpoint)
