"""Values are merged as helm does."""

from __future__ import annotations

from rlinf_constructs.helm import merge


def test_null_removes_a_default() -> None:
    """As in helm, also in a nested map."""
    assert merge.with_defaults({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}) == {"a": {"c": 2}}
