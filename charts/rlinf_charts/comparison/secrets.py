"""Secrets before and after: that a value changed may be shown, the value never."""

from __future__ import annotations

from typing import Any

_FIELDS = ("data", "stringData")


def masked(before: dict[str, Any] | None, after: dict[str, Any] | None) -> tuple[dict[str, Any] | None, ...]:
    """Both versions of a Secret, with words in place of its values; other objects as they are."""
    if (before or after or {}).get("kind") != "Secret":
        return before, after
    return _masked(before, after, "before"), _masked(after, before, "after")


def _masked(item: dict[str, Any] | None, other: dict[str, Any] | None, when: str) -> dict[str, Any] | None:
    if item is None:
        return None
    result = dict(item)
    for field in _FIELDS:
        for key, value in (item.get(field) or {}).items():
            same = other is None or (other.get(field) or {}).get(key, value) == value
            result[field] = {**result[field], key: "(secret)" if same else f"(secret, {when})"}
    return result
