"""Objects matched by kind and name, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from rlinf_charts.comparison.fields import FieldChange, field_changes
from rlinf_charts.comparison.secrets import masked


@dataclass(frozen=True, kw_only=True)
class Change:
    """One object that is not the same before and after; values of Secrets are masked.

    Attributes:
        kind: of the object.
        name: of the object.
        before: the object, None when it is added.
        after: the object, None when it is removed.
        fields: what differs, when it is there before and after.
    """

    kind: str
    name: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    fields: tuple[FieldChange, ...]

    @property
    def what(self) -> Literal["added", "removed", "changed"]:
        """What became of the object."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"


def compare(before: Iterable[dict[str, Any]], after: Iterable[dict[str, Any]]) -> list[Change]:
    """The objects that differ, in the order in which they are installed."""
    first, second = _by_name(before), _by_name(after)
    return [
        _change(name, first.get(name), second.get(name))
        for name in dict.fromkeys([*second, *first])
        if first.get(name) != second.get(name)
    ]


def _by_name(objects: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(item["kind"], item["metadata"]["name"]): item for item in objects}


def _change(name: tuple[str, str], before: dict[str, Any] | None, after: dict[str, Any] | None) -> Change:
    before, after = masked(before, after)
    fields = () if before is None or after is None else tuple(field_changes(before, after))
    return Change(kind=name[0], name=name[1], before=before, after=after, fields=fields)
