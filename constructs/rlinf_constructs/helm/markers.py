"""Strings and numbers that stand for something else while they travel through cdk8s.

Like CDK's tokens: a marked string or a sentinel number comes back from `chart.to_json()` unharmed, and its index finds
the meaning again.
"""

from __future__ import annotations

import re
import struct

_MARKER = re.compile(r"\$\{helm:(\d+)\}")
# A quiet range of doubles near -1.88e289 that no manifest uses; the low 32 bits hold the index.
_NUMBER_MARK = 0xFBFF0000

# Constructs are built and rendered in one process, so an index into this list is enough to find a marker's meaning.
_meanings: list[object] = []


def _register(meaning: object) -> int:
    _meanings.append(meaning)
    return len(_meanings) - 1


def text(meaning: object) -> str:
    """A new string that stands for the meaning, alone or inside other text."""
    # Of one width, since cdk8s sorts keys as text: the order of a map must not depend on what was made before.
    return f"${{helm:{_register(meaning):08d}}}"


def number(meaning: object) -> float:
    """A new number that stands for the meaning."""
    (result,) = struct.unpack(">d", struct.pack(">II", _NUMBER_MARK, _register(meaning)))
    return result


def of_text(value: str) -> tuple[list[str], list[object]]:
    """A string's literal parts, and the meanings of the markers that stand between them."""
    pieces = _MARKER.split(value)
    return pieces[::2], [_meanings[int(index)] for index in pieces[1::2]]


def of_number(value: float) -> object | None:
    """What a number stands for, or None when it is an ordinary one."""
    high, low = struct.unpack(">II", struct.pack(">d", value))
    return _meanings[low] if high == _NUMBER_MARK else None
