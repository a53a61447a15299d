"""What an engine says on its standard output, as events; Ray puts the speaker and colors in front."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..run_config import EngineName


@dataclass(frozen=True, kw_only=True, slots=True)
class Epoch:
    """How many batches make an epoch."""

    batches: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """A batch of rollouts was collected and filtered: how many are kept by now, of how many that an update needs."""

    kept: int
    wanted: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Saving:
    """A checkpoint is being written; RLinf names only the last part of its folder."""

    folder: str


@dataclass(frozen=True, slots=True)
class Sign:
    """Any other sign of progress."""


Event = Epoch | Batch | Saving | Sign

_COLORS = re.compile(r"\x1b\[[0-9;]*m")
_SPEAKER = re.compile(r"^\([^()]*pid=[^()]*\) ?")

_VERL: Mapping[re.Pattern[str], Callable[[re.Match[str]], Event]] = {
    re.compile(r"Size of train dataloader: (\d+)"): lambda match: Epoch(batches=int(match[1])),
    re.compile(r"collected (\d+) / (\d+) rollouts"): lambda match: Batch(kept=int(match[1]), wanted=int(match[2])),
    re.compile(r"Saving actor checkpoint to (.+)"): lambda match: Saving(folder=match[1]),
    re.compile(r"validation generation end|Initial validation metrics"): lambda _: Sign(),
}
_RLINF: Mapping[re.Pattern[str], Callable[[re.Match[str]], Event]] = {
    re.compile(r".*Global Step: +\d+/\d+"): lambda _: Sign(),
    re.compile(r".*Saving checkpoint at step (\d+)"): lambda match: Saving(folder=f"global_step_{match[1]}"),
}
# Our own trainer is silent but for what it has done.
_NATIVE: Mapping[re.Pattern[str], Callable[[re.Match[str]], Event]] = {re.compile(""): lambda _: Sign()}

_MEANINGS = {"verl": _VERL, "rlinf": _RLINF, "native": _NATIVE}


def meaning(engine: EngineName, line: str) -> Event | None:
    """The event that a line tells of, if any."""
    said = _SPEAKER.sub("", _COLORS.sub("", line))
    for pattern, event in _MEANINGS[engine].items():
        if match := pattern.match(said):
            return event(match)
    return None
