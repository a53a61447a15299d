"""The lines of a program's output, as they are fit for a log: of bounded length, and few of a progress bar."""

import io
import time
from collections.abc import Iterator
from typing import IO

# A longer line is a dump that nobody reads; in pieces it neither fills the memory nor stops the log.
_LINE_MAX_CHARACTERS = 1 << 16
# A bar is drawn again ten times a second, and each time would be a line.
_BAR_S = 5.0


def lines(output: IO[bytes]) -> Iterator[str]:
    """Yields the lines of an output until it ends; broken UTF-8 becomes replacement characters.

    A carriage return ends a line too; of lines that end so, all but one in 5 s are left out, since the next one was
    meant to take their place.
    """
    # Line ends untranslated: `\r` is told from `\n`.
    text = io.TextIOWrapper(output, encoding="utf-8", errors="replace", newline="")
    bar_at_s = -_BAR_S
    while line := text.readline(_LINE_MAX_CHARACTERS):
        if line.endswith("\r"):
            if time.monotonic() - bar_at_s < _BAR_S:
                continue
            bar_at_s = time.monotonic()
        yield line.rstrip("\r\n")
