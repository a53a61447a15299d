"""Objects and fields compared."""

from __future__ import annotations

from typing import Any

from rlinf_charts.comparison import as_json, as_unified_text, compare
from rlinf_charts.comparison.fields import ABSENT, field_changes


def changes(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    """Path, before and after of each change."""
    return [(it.path, it.before, it.after) for it in field_changes(before, after)]


def secret(**values: str) -> dict[str, Any]:
    """A Secret with these values."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "it"}, "data": values}


def test_items_are_matched_by_name() -> None:
    """One that comes first does not change all others."""
    old = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    new = {"env": [{"name": "C", "value": "0"}, {"name": "A", "value": "1"}, {"name": "B", "value": "3"}]}

    assert changes(old, new) == [
        ("env[B].value", "2", "3"),
        ("env[C]", ABSENT, {"name": "C", "value": "0"}),
    ]


def test_items_without_a_name_are_matched_by_place() -> None:
    """Arguments of a command, for example."""
    assert changes({"args": ["a", "b"]}, {"args": ["a", "c", "d"]}) == [("args[1]", "b", "c"), ("args[2]", ABSENT, "d")]


def test_several_mounts_of_one_volume_are_matched_by_path() -> None:
    """Their names are all the same."""
    old = {"mounts": [{"name": "fsx", "mountPath": "/a"}, {"name": "fsx", "mountPath": "/b"}]}
    new = {"mounts": [{"name": "fsx", "mountPath": "/b"}, {"name": "fsx", "mountPath": "/a", "readOnly": True}]}
    assert changes(old, new) == [("mounts[/a].readOnly", ABSENT, True)]


def test_a_type_that_changes_is_a_change() -> None:
    """1, 1.0 and true are equal in Python only; null is a value."""
    assert changes({"a": 1, "b": None}, {"a": True, "b": ABSENT}) == [("a", 1, True), ("b", None, ABSENT)]


def test_values_of_secrets_never_show() -> None:
    """That one has changed is told; neither the old nor the new one is."""
    [change] = compare([secret(same="c2FtZQ==", other="b2xk")], [secret(same="c2FtZQ==", other="bmV3")])

    shown = as_unified_text([change]) + str(as_json([change]))
    assert "-  other: (secret, before)\n+  other: (secret, after)\n" in shown
    assert "same: (secret)" in shown
    assert not any(value in shown for value in ("c2FtZQ", "b2xk", "bmV3"))
