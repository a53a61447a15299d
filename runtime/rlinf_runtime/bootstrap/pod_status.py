"""The pod's own status file: what it is doing, and by its age, whether the bootstrap's loop still turns.

The startup and liveness probes run `alive.sh`, which looks at nothing but the age. A bootstrap that hangs is started
again; an engine that is slow is not, for the loop turns while it waits. People read it by `kubectl exec`.
"""

import json
import os
import time
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path

from . import log, whole_file

logger = log.of_step("status")

_BEAT_S = 2.0
_COPIED = ("step", "total_steps", "success_rate", "checkpoint")


class PodStatus:
    """Writes the file, at most every few seconds."""

    def __init__(self, role: str, watch: log.Stopwatch, *, run_folder: str) -> None:
        self._role = role
        self._watch = watch
        # A worker has no part in the run's progress, and need not ask the shared volume for it.
        self._run_status = None if role == "worker" else Path(run_folder, "status.json")
        self._path = Path(os.environ.get("RLINF_STATUS_FILE", "/tmp/rlinf-status.json"))  # noqa: S108 - see alive.sh
        self._next_s = 0.0
        self._failed = False

    def beat(self) -> None:
        """Writes the file anew, by rename."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + _BEAT_S
        content = {
            "role": self._role,
            "phase": self._watch.current_step,
            **self._progress(),
            "updated_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        try:
            whole_file.write(self._path, json.dumps(content) + "\n")
        except OSError as error:
            if not self._failed:
                logger.warning("cannot write %s, which gets old by that: %s", self._path, error)
            self._failed = True
            # A full disk is no reason to start the container again.
            with suppress(OSError):
                os.utime(self._path)

    def _progress(self) -> dict[str, object]:
        """Of the run, as far as its status file says."""
        if self._run_status is None:
            return {}
        try:
            status = json.loads(self._run_status.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {key: status[key] for key in _COPIED if key in status} if isinstance(status, dict) else {}
