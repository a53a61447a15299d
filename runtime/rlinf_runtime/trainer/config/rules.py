"""Rules that values must meet. Each refusal names the key, the value, what is allowed and the nearest valid value."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from rlinf_runtime.trainer.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable


def at_least(key: str, value: float, low: float) -> None:
    """Refuses values below `low`."""
    if value < low:
        raise ConfigError(f"{key} must be at least {low}, got {value}")


def above(key: str, value: float, low: float) -> None:
    """Refuses values that are not above `low`."""
    if value <= low:
        raise ConfigError(f"{key} must be above {low}, got {value}")


def between(key: str, value: float, low: float, high: float) -> None:
    """Refuses values outside [low, high]."""
    if not low <= value <= high:
        raise ConfigError(f"{key} must be from {low} to {high}, got {value}")


def period(key: str, value: int) -> None:
    """Refuses what is neither a number of steps nor -1."""
    if value < 1 and value != -1:
        raise ConfigError(f"{key} must be at least 1, or -1 for never in between, got {value}")


def one_of(key: str, value: object, allowed: Iterable[object]) -> None:
    """Refuses what is not among `allowed`."""
    choices = [str(choice) for choice in allowed]
    if str(value) not in choices:
        raise ConfigError(f"{key} must be {' or '.join(choices)}, got {value}{did_you_mean(str(value), choices)}")


def multiple_of(key: str, value: int, divisor: int, *, what: str) -> None:
    """Refuses a value that `divisor` does not divide."""
    if value % divisor:
        below = value - value % divisor
        nearest = [str(candidate) for candidate in (below, below + divisor) if candidate > 0]
        raise ConfigError(
            f"{key} must be a multiple of {divisor} ({what}), got {value}; nearest valid: {' or '.join(nearest)}"
        )


def divides(key: str, value: int, total: int, *, what: str) -> None:
    """Refuses a value that does not divide `total`."""
    if total % value:
        divisors = [candidate for candidate in range(1, total + 1) if total % candidate == 0]
        below = [str(candidate) for candidate in divisors if candidate < value][-1:]
        over = [str(candidate) for candidate in divisors if candidate > value][:1]
        raise ConfigError(
            f"{key} must divide {total} ({what}), got {value}; nearest valid: {' or '.join(below + over)}"
        )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The nearest known word as the end of a sentence, or nothing when none is near."""
    # Dotted keys of one section are much alike.
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.8)
    return f"; did you mean {near[0]}?" if near else ""
