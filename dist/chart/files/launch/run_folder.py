"""The run's folder on the shared claim: usable or refused, and the marker of a finished run in it."""

import json
import os
from datetime import datetime, timezone
from pathlib import Path

from .exit_codes import BootstrapError, ExitCode

_MARKER = "finished.json"


class RunFolder:
    """The folder, for one description of a run (its digest) and one pod (its name keeps temporary files apart)."""

    def __init__(self, folder: str, *, digest: str, pod_name: str) -> None:
        self._folder = Path(folder)
        self._digest = digest
        self._temporary = self._folder / f".{_MARKER}.{pod_name}"

    def check(self) -> None:
        """Makes the folder if need be, and tries in it what checkpoints need: write, rename, remove.

        Raises:
            BootstrapError: (`PREFLIGHT`) the folder cannot be used.
        """
        renamed = self._temporary.with_name(f"{self._temporary.name}.renamed")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._write_temporary("{}")
            self._temporary.rename(renamed)
            renamed.unlink()
        except OSError as error:
            raise BootstrapError(
                ExitCode.PREFLIGHT,
                f"the run folder {self._folder} cannot be written to ({error}): mount a claim there that user "
                f"{os.getuid()} may write to and that can rename files (Mountpoint for S3 cannot)",
            ) from error

    def is_finished(self) -> bool:
        """Whether this very run ended well before: the marker carries its digest."""
        try:
            marker = json.loads((self._folder / _MARKER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(marker, dict) and marker.get("digest") == self._digest

    def mark_finished(self) -> None:
        """Writes the marker by rename, so that it is there as a whole or not at all.

        Raises:
            BootstrapError: (`PREFLIGHT`) the marker cannot be written.
        """
        finished_at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        try:
            self._write_temporary(json.dumps({"digest": self._digest, "finished_at": finished_at}) + "\n")
            self._temporary.replace(self._folder / _MARKER)
        except OSError as error:
            raise BootstrapError(
                ExitCode.PREFLIGHT,
                f"the run ended well, but {self._folder / _MARKER} cannot be written ({error}): make room in the "
                "claim, or the next start trains again",
            ) from error

    def _write_temporary(self, text: str) -> None:
        with self._temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
