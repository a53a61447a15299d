"""`--set KEY=VALUE,KEY=VALUE` as Helm reads it.

A dot leads into a map, an index in brackets into a list; `{a,b}` is a list; a backslash takes the next character as it
is. Keys are set in the order in which they stand, each in what is there already.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from rlinf_constructs.helm import go, yaml_io

_LARGEST_INDEX = 65536
_MOST_DOTS = 30
_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]+", re.ASCII)


class AssignmentError(ValueError):
    """Helm would refuse it too; the text says what is wrong with it."""


def assign(values: dict[str, Any], assignments: str, *, typed: bool) -> dict[str, Any]:
    r"""The values with the assignments made in them.

    >>> assign({"a": [{"b": 1}]}, r"a[0].c=2,names={x,y},text=a\,b,none=null", typed=True)
    {'a': [{'b': 1, 'c': 2}], 'names': ['x', 'y'], 'text': 'a,b', 'none': None}

    Args:
        values: left as they are.
        assignments: what follows the option.
        typed: whether true, null and whole numbers are no texts: `--set`, not `--set-string`.

    Raises:
        AssignmentError: with the reason.
    """
    result = copy.deepcopy(values)
    reader = _Reader(assignments, typed=typed)
    while not reader.is_at_end():
        reader.assign_in(result, "", 0)
    return result


class _Reader:
    """The text, and how far it is read."""

    def __init__(self, text: str, *, typed: bool) -> None:
        self._text = text
        self._position = 0
        self._typed = typed

    def is_at_end(self) -> bool:
        return self._position >= len(self._text)

    def assign_in(self, values: dict[str, Any], above: str, dots: int) -> None:
        """Read one key that is left, and set it in the map that it is a key of.

        Args:
            values: the map.
            above: how its own place is written.
            dots: how many are above it, but for those behind an index, which Helm does not count.
        """
        key, end = self._until("=[,.")
        place = f"{above}{key}"
        if end in ("", ","):
            raise AssignmentError(
                f"{place or 'a comma'} has no value: write KEY=VALUE, and a comma that is meant as \\,"
            )
        if end == "=":
            inner: Any = self._value()
        elif end == "[":
            inner = self._items(values.get(key), place, dots)
        elif dots == _MOST_DOTS:
            raise AssignmentError(f"{place} is nested too deeply: Helm allows {_MOST_DOTS} dots")
        else:
            inner = self._keys(values.get(key, {}), place, dots + 1)
        # Helm takes an empty key for none.
        if key:
            values[key] = inner

    def _keys(self, present: Any, place: str, dots: int) -> dict[str, Any]:
        if not go.is_map(present):
            raise AssignmentError(
                f"{place} is {go.json_text(present)}, which has no keys: set it to {{}} in a file first"
            )
        self.assign_in(present, f"{place}.", dots)
        return present

    def _items(self, present: Any, place: str, dots: int) -> list[Any]:
        """Read an index and what follows it, and set the item."""
        if not go.is_list(present) and present is not None:
            raise AssignmentError(f"{place} is {go.json_text(present)}, which has no items: write a list into a file")
        items = present or []
        index, end = self._until("]")
        if not end or not index.isdecimal() or int(index) > _LARGEST_INDEX:
            raise AssignmentError(f"{place}[{index}: write an index from 0 to {_LARGEST_INDEX}, as in {place}[0]")
        number = int(index)
        items += [None] * (number + 1 - len(items))
        between, end = self._until("=[.")
        place = f"{place}[{index}]"
        if between or not end:
            raise AssignmentError(f"{place}{between}: behind an index stands =, a dot or another index")
        if end == "=":
            items[number] = self._value()
        elif end == "[":
            items[number] = self._items(items[number], place, dots)
        else:
            items[number] = self._keys(items[number] if go.is_map(items[number]) else {}, place, dots)
        return items

    def _value(self) -> Any:
        if self._text[self._position : self._position + 1] != "{":
            return self._literal(self._until(",")[0])
        self._position += 1
        items: list[Any] = []
        end = ","
        while end != "}":
            text, end = self._until(",}")
            if not end:
                raise AssignmentError("a list ends with }: quote it for the shell, as in 'KEY={a,b}'")
            items.append(self._literal(text))
        if self._text[self._position : self._position + 1] == ",":
            self._position += 1
        return items

    def _until(self, ends: str) -> tuple[str, str]:
        """The text up to one of these characters, which is read too, or up to the end."""
        found = ""
        while not self.is_at_end():
            character = self._text[self._position]
            self._position += 1
            if character in ends:
                return found, character
            if character == "\\":
                character = self._text[self._position : self._position + 1]
                self._position += 1
            found += character
        return found, ""

    def _literal(self, text: str) -> Any:
        """`--set` knows null, booleans and integers; all else is a text."""
        if not self._typed:
            return text
        if text.lower() in ("true", "false", "null"):
            return yaml_io.resolve(text.lower())
        if text == "0" or (not text.startswith("0") and _WHOLE_NUMBER.fullmatch(text) and abs(int(text)) < 2**63):
            return int(text)
        return text
