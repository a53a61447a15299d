"""SIGTERM as a request: finish the step, save, leave."""

from __future__ import annotations

import logging
import signal
import time
from typing import TYPE_CHECKING

from rlinf_runtime.trainer.errors import StoppedError

if TYPE_CHECKING:
    from types import FrameType

_LOGGER = logging.getLogger(__name__)
_PATIENCE_S = 6.0
"""How long the work in progress may go on, so that a checkpoint still fits into 10 s."""


class StopRequest:
    """Whether SIGTERM has arrived, and when."""

    def __init__(self) -> None:
        self._arrived_at: float | None = None

    def listen(self) -> None:
        """Installs the handler; call it in the main thread, after Ray has installed its own."""
        signal.signal(signal.SIGTERM, self._arrive)

    @property
    def arrived(self) -> bool:
        """Whether the run should end at the next good moment."""
        return self._arrived_at is not None

    def raise_if_impatient(self, doing: str) -> None:
        """Gives up on `doing` when it has taken too long since SIGTERM.

        Raises:
            StoppedError: the patience is over; the newest checkpoint is the one that was complete before.
        """
        if self._arrived_at is not None and time.monotonic() - self._arrived_at > _PATIENCE_S:
            raise StoppedError(f"stopped by SIGTERM during {doing}, which was too long to finish")

    def raise_if_arrived(self, where: str) -> None:
        """Ends the run at a good moment.

        Raises:
            StoppedError: SIGTERM has arrived.
        """
        if self.arrived:
            raise StoppedError(f"stopped by SIGTERM {where}")

    def _arrive(self, _signal: int, _frame: FrameType | None) -> None:
        self._arrived_at = self._arrived_at or time.monotonic()
        _LOGGER.info("SIGTERM: finishing what is in progress")
