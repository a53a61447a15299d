"""Changes for people, for patches and for programs."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.text import Text

from rlinf_charts.comparison.fields import ABSENT, FieldChange
from rlinf_charts.comparison.objects import Change
from rlinf_constructs.helm import go, yaml_io

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}


def as_unified_text(changes: list[Change]) -> str:
    """A unified diff of each object's YAML."""
    return "".join(line for change in changes for line in _unified(change))


def _unified(change: Change) -> Iterator[str]:
    name = f"{change.kind}/{change.name}"
    return difflib.unified_diff(
        _lines(change.before),
        _lines(change.after),
        fromfile="/dev/null" if change.before is None else f"before/{name}",
        tofile="/dev/null" if change.after is None else f"after/{name}",
    )


def _lines(item: dict[str, Any] | None) -> list[str]:
    return [] if item is None else yaml_io.dump(item).splitlines(keepends=True)


def as_json(changes: list[Change]) -> list[dict[str, Any]]:
    """What a program needs; a field that is absent has no `before` or no `after`."""
    return [
        {
            "kind": change.kind,
            "name": change.name,
            "change": change.what,
            "fields": [_field_as_json(field) for field in change.fields],
        }
        for change in changes
    ]


def _field_as_json(field: FieldChange) -> dict[str, Any]:
    sides = {"before": field.before, "after": field.after}
    return {"path": field.path, **{side: value for side, value in sides.items() if value is not ABSENT}}


def print_changes(changes: list[Change], console: Console) -> None:
    """Objects with their fields, in colour."""
    for change in changes:
        sign, colour = _SIGNS[change.what]
        console.print(Text(f"{sign} {change.kind} {change.name}", style=f"bold {colour}"), soft_wrap=True)
        for field in change.fields:
            console.print(_field(field), soft_wrap=True)
    counts = Counter(change.what for change in changes)
    words = ", ".join(f"{counts[what]} {what}" for what in _SIGNS if counts[what])
    console.print(Text(words or "no difference", style="dim"))


def _field(field: FieldChange) -> Text:
    text = Text(f"    {field.path}: ")
    if _is_long(field.before) or _is_long(field.after):
        return text.append("\n").append_text(_lines_changed(field))
    return text.append(_short(field.before), style="red").append(" → ").append(_short(field.after), style="green")


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value


def _lines_changed(field: FieldChange) -> Text:
    """Only the lines that differ, with two around them."""
    sides = ["" if value is ABSENT else str(value) for value in (field.before, field.after)]
    lines = difflib.unified_diff(sides[0].splitlines(), sides[1].splitlines(), n=2, lineterm="")
    styles = {"+": "green", "-": "red", "@": "cyan"}
    # The first two lines would name files.
    shown = [Text(f"      {line}", style=styles.get(line[:1], "dim")) for line in list(lines)[2:]]
    return Text("\n").join(shown)


def _short(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    return value if isinstance(value, str) and value else go.json_text(value)
