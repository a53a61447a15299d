"""TensorBoard event files, byte by byte, for tests: the project has no TensorBoard."""

import struct


def record(payload):
    """A record of an event file; nobody looks at the checksums."""
    return struct.pack("<QI", len(payload), 0) + payload + struct.pack("<I", 0)


def event(name, value, step, time_s):
    """An event with one scalar, as `add_scalar` writes it."""
    number = b"\x0a" + bytes([len(name)]) + name.encode() + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(number)]) + number
    return b"\x09" + struct.pack("<d", time_s) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary
