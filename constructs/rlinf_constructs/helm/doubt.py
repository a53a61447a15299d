"""Rules asked of values of which some are at fault: only what holds whatever stands in their place is said.

A rule that comes to its verdict without reading a doubtful value would come to the same one after that value is mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rlinf_constructs.helm import go, rules
from rlinf_constructs.helm.expressions import Environment
from rlinf_constructs.helm.rules import Rule

Path = tuple[str | int, ...]


class _DoubtfulError(Exception):
    """A rule has read what may change."""


def check_beside(doubtful: Iterable[Path], asked: Sequence[Rule], environment: Environment) -> Iterator[str]:
    """The messages of the rules that are broken whatever stands at the doubtful places.

    Args:
        doubtful: paths in the values; everywhere else the values fit the schema.
        asked: the rules.
        environment: with the values.
    """
    places = [_of_a_key(path) for path in doubtful]
    guarded = replace(environment, values=_guarded(environment.values, places))
    for rule in asked:
        with suppress(_DoubtfulError):
            yield from rules.check([rule], guarded)


def _of_a_key(path: Path) -> Path:
    """A list is as doubtful as any of its items."""
    return _of_a_key(path[:-1]) if path and isinstance(path[-1], int) else path


def _guarded(node: Any, places: Sequence[Path]) -> Any:
    """The same values, in which nobody can read what is at these places."""
    if go.is_list(node):
        return [_guarded(item, _below(index, places)) for index, item in enumerate(node)]
    if not go.is_map(node) or not places:
        return node
    here = {path[0] for path in places if len(path) == 1}
    values = {key: _guarded(value, _below(key, places)) for key, value in node.items() if key not in here}
    return _Guarded(values, here) if here else values


def _below(step: str | int, places: Sequence[Path]) -> list[Path]:
    return [path[1:] for path in places if path[0] == step and len(path) > 1]


class _Guarded(dict[str, Any]):
    """A map with doubtful keys: these cannot be asked for, nor can the map as a whole."""

    def __init__(self, values: dict[str, Any], doubtful: set[str | int]) -> None:
        super().__init__(values)
        self._doubtful = doubtful

    def __contains__(self, key: object) -> bool:
        return super().__contains__(self._trusted(key))

    def __getitem__(self, key: str) -> Any:
        return super().__getitem__(self._trusted(key))

    def get(self, key: str, default: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().get(self._trusted(key), default)

    def _trusted(self, key: Any) -> Any:
        if key in self._doubtful:
            raise _DoubtfulError
        return key

    def _refuse(self, *_: object) -> Any:
        raise _DoubtfulError

    __iter__ = __len__ = __eq__ = keys = values = items = _refuse
