"""What a patch is, and what may become of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import Literal

EngineName = Literal["verl", "rlinf"]


class State(Enum):
    """What became of a patch."""

    APPLIED = "applied"
    NOT_NEEDED = "not needed"
    DOES_NOT_MATCH = "does not match"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a patch on one module.

    Attributes:
        state: what became of it.
        reason: why it was not applied, empty if it was.
    """

    state: State
    reason: str = ""


APPLIED = Outcome(State.APPLIED)


def not_needed(reason: str) -> Outcome:
    """The fault is not there, for this reason."""
    return Outcome(State.NOT_NEEDED, reason)


class MismatchError(Exception):
    """The target does not look as the patch expects; its message says what is different."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Patch:
    """A cure for one fault of an engine.

    Attributes:
        name: by which users switch it off.
        engines: whose fault it is.
        modules: the modules that it changes; it is applied to each as soon as that has been imported.
        discovery: number of the discovery in the seed documents, such as "#26"; empty for other faults.
        about: one sentence with the symptom and the cure.
        apply: changes one of the modules. Raises MismatchError, before any change, when it looks different.
        driver_only: whether workers need it not.
        stubs: makes the modules that stand in, while a target is imported, for packages that are not installed.
    """

    name: str
    engines: tuple[EngineName, ...]
    modules: tuple[str, ...]
    discovery: str = ""
    about: str
    apply: Callable[[ModuleType], Outcome]
    driver_only: bool = False
    stubs: Mapping[str, Callable[[], ModuleType]] = field(default_factory=dict[str, Callable[[], ModuleType]])
