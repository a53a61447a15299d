"""Ports for servers that cannot choose one themselves, each given to one test only."""

from __future__ import annotations

import fcntl
import itertools
import os
import socket
import tempfile
from pathlib import Path

# The kernel gives out those from 32768 on by itself, and a server may open its port only seconds later.
_FIRST, _END = 20000, 32768


def next_ports(count: int = 1, *, host: str = "127.0.0.1") -> list[int]:
    """Free ports that come round again only after twelve thousand others, in whichever process of this machine."""
    with Path(tempfile.gettempdir(), f"rlinf-test-ports-{os.getuid()}").open("a+") as counter:
        fcntl.flock(counter, fcntl.LOCK_EX)
        counter.seek(0)
        start = int(counter.read() or _FIRST)
        candidates = (_FIRST + (start - _FIRST + step) % (_END - _FIRST) for step in range(_END - _FIRST))
        ports = list(itertools.islice((port for port in candidates if _is_free(host, port)), count))
        assert len(ports) == count, f"of {count} ports only {ports} are free on {host}"
        counter.truncate(0)
        counter.write(str(ports[-1] + 1))
    return ports


def _is_free(host: str, port: int) -> bool:
    try:
        socket.create_server((host, port)).close()
    except OSError:
        return False
    return True
