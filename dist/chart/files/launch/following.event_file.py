"""The scalars in a TensorBoard event file, which RLinf writes, without TensorBoard.

Format: records of a 64-bit length (little-endian), its CRC-32C, that many bytes, and their CRC-32C; the bytes are a
protocol buffer of tensorflow/core/util/event.proto. Checksums are not looked at: a record that is not whole yet waits.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HEADER = struct.Struct("<QI")
_FOOTER_BYTES = 4
_VARINT, _64_BIT, _BYTES, _32_BIT = 0, 1, 2, 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Scalar:
    """One number: its name, value and step, and when it was written, in seconds since 1970."""

    name: str
    value: float
    step: int
    time_s: float


class EventFile:
    """Follows one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def new(self) -> list[tuple[bytes, Scalar]]:
        """The scalars since the last call, each with the bytes of its record."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                content = file.read()
        except OSError:
            return []
        found: list[tuple[bytes, Scalar]] = []
        at = 0
        while at + _HEADER.size <= len(content):
            (length, _) = _HEADER.unpack_from(content, at)
            end = at + _HEADER.size + length + _FOOTER_BYTES
            if end > len(content):
                break
            record = content[at + _HEADER.size : end - _FOOTER_BYTES]
            found += [(record, scalar) for scalar in _scalars(record)]
            at = end
        self._offset += at
        return found


def _scalars(record: bytes) -> Iterator[Scalar]:
    """Those of one event; a damaged one has none."""
    try:
        event = list(_fields(record))
        time_s = next((float(value) for number, value in event if number == 1), 0.0)
        step = next((int(value) for number, value in event if number == 2), 0)
        values = [value for number, summary in event if number == 5 for name, value in _fields(summary) if name == 1]
        numbers = [dict(_fields(value)) for value in values]
    except (ValueError, IndexError, struct.error, TypeError):
        return
    for number in numbers:
        name, value = number.get(1), number.get(2)
        if isinstance(name, bytes) and isinstance(value, float):
            yield Scalar(name=name.decode(errors="replace"), value=value, step=step, time_s=time_s)


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Number and value of each field of a protocol buffer.

    Raises:
        ValueError, IndexError, struct.error: it is none.
    """
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
        elif kind == _64_BIT:
            (value,), at = struct.unpack_from("<d", message, at), at + 8
        elif kind == _32_BIT:
            (value,), at = struct.unpack_from("<f", message, at), at + 4
        elif kind == _BYTES:
            length, at = _varint(message, at)
            value, at = message[at : at + length], at + length
        else:
            raise ValueError(f"no field has the wire type {kind}")
        yield number, value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
