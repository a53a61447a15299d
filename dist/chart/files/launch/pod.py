"""This pod among the run's pods, from the environment that the chart gives it."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from .exit_codes import BootstrapError, ExitCode
from .run_config import RunConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Pod:
    """One pod of the run; its name is also the name of its Ray node, so that a missing one can be named."""

    rank: int
    name: str
    ip: str
    token: str | None

    def peers(self, count: int) -> tuple[str, ...]:
        """Names of all pods of the run, this one's included, in the order of their ranks."""
        stem = self.name.removesuffix(str(self.rank))
        return tuple(f"{stem}{rank}" for rank in range(count))


def from_environment(environ: Mapping[str, str], config: RunConfig) -> Pod:
    """Reads RLINF_NODE_RANK, POD_NAME, POD_IP and Ray's token.

    Raises:
        BootstrapError: (`CONFIG`, `RAY_AUTH`) a variable is missing or of no use.
    """
    rank = _rank(environ, config.nodes.count)
    name = environ.get("POD_NAME") or f"{config.name}-{rank}"
    if not name.endswith(f"-{rank}"):
        raise _refusal(f"POD_NAME is {name!r}, but must end in '-{rank}', the pod's RLINF_NODE_RANK")
    token = environ.get("RAY_AUTH_TOKEN") or None
    if environ.get("RAY_AUTH_MODE") == "token" and token is None:
        raise BootstrapError(
            ExitCode.RAY_AUTH, "RAY_AUTH_MODE is 'token', but RAY_AUTH_TOKEN is not set: take it from the run's Secret"
        )
    return Pod(rank=rank, name=name, ip=_ip(environ), token=token)


def _rank(environ: Mapping[str, str], count: int) -> int:
    text = environ.get("RLINF_NODE_RANK", "")
    if not text.isdecimal() or int(text) >= count:
        raise _refusal(f"RLINF_NODE_RANK is {text!r}, but must be from 0 to {count - 1} (nodes.count is {count})")
    return int(text)


def _ip(environ: Mapping[str, str]) -> str:
    text = environ.get("POD_IP", "")
    # Ray takes 127.0.0.1 for "this machine" and advertises an outer address of it instead.
    if not _is_ip(text) or text in {"127.0.0.1", "::1"}:
        raise _refusal(
            f"POD_IP is {text!r}, but must be the pod's IP address (status.podIP; 127.0.0.2 and so on for local pods)"
        )
    return text


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _refusal(sentence: str) -> BootstrapError:
    return BootstrapError(ExitCode.CONFIG, sentence)
