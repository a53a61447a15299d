"""TCP ports of this pod: those that the values name must be free, and one that nobody names is chosen."""

import errno
import random
import socket
import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from .exit_codes import BootstrapError, ExitCode

_WITHIN_S = 5.0
_POLL_S = 0.25
# The kernel hands out ports from 32768 on by itself, and Ray takes a given one only seconds after it was found free.
_CHOICE = range(20000, 32768)


class Port(NamedTuple):
    """A port that a program here will listen on; 0 is any."""

    key: str
    host: str
    number: int


def wait_until_free(wanted: Collection[Port], sleep: Callable[[float], None]) -> None:
    """Waits for ports that somebody listens on: processes of an earlier life may be ending still.

    Raises:
        BootstrapError: (`RAY_FAILED`) they stay taken; it names the values' key of each.
    """
    until_s = time.monotonic() + _WITHIN_S
    while taken := [f"{port.number} ({port.key})" for port in wanted if not _is_free(port.host, port.number)]:
        if time.monotonic() < until_s:
            sleep(_POLL_S)
            continue
        raise BootstrapError(
            ExitCode.RAY_FAILED,
            f"another program listens on {'ports' if len(taken) > 1 else 'port'} {', '.join(taken)}, which Ray needs: "
            "set the key to a free port, or move the sidecar or the process of the image that has it",
        )


def free(host: str) -> int:
    """A port of the host that is free, and stays so but for others who choose by chance as well.

    Raises:
        BootstrapError: (`RAY_FAILED`) there is none.
    """
    for number in random.sample(_CHOICE, len(_CHOICE)):
        if _is_free(host, number):
            return number
    raise BootstrapError(ExitCode.RAY_FAILED, f"no port of {_CHOICE.start} to {_CHOICE.stop - 1} is free on {host}")


def _is_free(host: str, number: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        # As servers do: a port of connections that have just closed is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, number))
        except OSError as error:
            # Whatever else is wrong with the address, Ray says it in its own words.
            return error.errno != errno.EADDRINUSE
    return True
