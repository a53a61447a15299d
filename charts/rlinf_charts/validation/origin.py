"""Where in the values a field of a rendered object comes from, for what users write as Kubernetes does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rlinf_constructs.helm import go

Path = tuple[str | int, ...]


def values_key(values: Mapping[str, Any], item: Mapping[str, Any], path: Path) -> str:
    """The dotted key of the values behind a field of an object, or "" where none is like it.

    The chart hands such pieces on and adds to them, but never changes them: the outermost part of the object that holds
    all of a piece is that piece.

    Args:
        values: what users gave.
        item: a rendered object.
        path: of the field in it.
    """
    pieces = list(_maps(values, ()))
    for length in range(1, len(path) + 1):
        part = _at(item, path[:length])
        alike = [(len(piece), place) for place, piece in pieces if go.is_map(part) and _holds(part, piece)]
        if alike:
            _, place = max(alike, key=lambda it: it[0])
            return ".".join(map(str, (*place, *path[length:])))
    return ""


def _maps(node: Any, place: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """All maps of the values but the whole, with their places."""
    if go.is_map(node):
        if place and node:
            yield place, node
        inner = list(node.items())
    else:
        inner = list(enumerate(node)) if go.is_list(node) else []
    for key, value in inner:
        yield from _maps(value, (*place, key))


def _at(item: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        item = item[step]
    return item


def _holds(part: Mapping[str, Any], piece: Mapping[str, Any]) -> bool:
    return all(key in part and part[key] == value for key, value in piece.items())
