"""A run's folder as docs/architecture.md lists its files, and the directory that holds it."""

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rlinf_charts.local.errors import LocalError

_LOCK = ".rlinf-local.lock"


@dataclass(frozen=True, kw_only=True, slots=True)
class Status:
    """What the trainer says of itself in status.json."""

    phase: str = "starting"
    step: int = 0
    total_steps: int = 0
    success_rate: float | None = None
    eta_s: float | None = None


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Reads the folder of one run while the trainer writes it."""

    path: Path

    @property
    def finished(self) -> bool:
        """Whether the run ended well."""
        return (self.path / "finished.json").exists()

    @property
    def started(self) -> bool:
        """Whether a run has left anything here."""
        return self.path.is_dir() and any(self.path.iterdir())

    def status(self) -> Status:
        """Return the trainer's status; before its first one, the defaults."""
        try:
            raw: dict[str, Any] = json.loads((self.path / "status.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Status()
        return Status(**{field.name: raw[field.name] for field in fields(Status) if field.name in raw})

    def success_rates(self) -> list[float]:
        """Return the greedy success rate of each validation so far."""
        try:
            lines = (self.path / "metrics.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        except FileNotFoundError:
            return []
        # The trainer may be in the middle of its last line.
        records: list[dict[str, Any]] = [json.loads(line) for line in lines if line.endswith("\n")]
        return [record["val/success_rate"] for record in records if record.get("val/success_rate") is not None]

    def products(self) -> list[Path]:
        """Return what the run has made for people, as far as it is there."""
        names = ("metrics.jsonl", "checkpoints", "learning_curve.png", "success.gif")
        return [self.path / name for name in names if (self.path / name).exists()]


@contextmanager
def locked(run_dir: Path, run: RunFolder) -> Generator[int]:
    """Hold a run directory against a second `local`; yields the lock's file descriptor.

    Raises:
        LocalError: When another `local` holds it, or the run's folder is there but no `local` made it.
    """
    lock = run_dir / _LOCK
    if run.started and not lock.exists():
        raise LocalError(
            f"{run.path} holds files that `rlinf-eks local` did not make: choose another --run-dir, or move them away"
        )
    run_dir.mkdir(parents=True, exist_ok=True)
    with lock.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise LocalError(
                f"{run_dir} is in use by another `rlinf-eks local` (process {file.read().strip()}): wait for its end, "
                "stop it by Ctrl-C, or choose another --run-dir"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield file.fileno()
