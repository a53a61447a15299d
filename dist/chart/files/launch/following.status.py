"""`status.json` of the run folder for engines that write none: the fields of the native trainer's, as far as known."""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from .. import log, whole_file
from ..attempt import Attempt
from ..run_config import RunConfig
from .progress import Progress

logger = log.of_step("follow")


class RunStatus:
    """Writes the file when something of it has changed, by rename, so that a reader never sees half of it."""

    def __init__(self, config: RunConfig, attempt: Attempt) -> None:
        self._path = Path(config.folder, "status.json")
        self._is_ours = config.engine.name != "native"
        self._first_step = attempt.first_step
        self._written: dict[str, object] = {}

    def write(self, progress: Progress, phase: Literal["train", "done"] = "train") -> None:
        """Replaces the status.

        Args:
            progress: of this start of the engine.
            phase: what is going on.
        """
        content: dict[str, object] = {
            "phase": phase,
            # The newest metrics are of step -1 before the first, and of 0 when one step is done.
            "step": self._first_step + progress.step + 1,
            "success_rate": progress.success_rate,
            "checkpoint": progress.checkpoint,
        }
        if not self._is_ours or content == self._written:
            return
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        try:
            whole_file.write(self._path, json.dumps({**content, "updated_at": now}) + "\n")
        except OSError as error:
            logger.warning("cannot write %s: %s", self._path, error)
        self._written = content
