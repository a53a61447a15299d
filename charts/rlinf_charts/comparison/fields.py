"""What differs between two versions of an object, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from rlinf_constructs.helm import go

# Fields by which Kubernetes tells the items of a list apart.
_IDENTITIES = ("name", "mountPath", "containerPort", "topologyKey")


class _Absent:
    """No value: null is one."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    """One field with its value before and after; either may be ABSENT."""

    path: str
    before: Any
    after: Any


def field_changes(before: Any, after: Any, path: str = "") -> Iterator[FieldChange]:
    """The smallest fields that differ, in the order in which people read them.

    Items of lists are matched by name, and texts that are JSON by their own fields.
    """
    before, after = _opened(before, after)
    if before == after and type(before) is type(after):
        return
    if go.is_map(before) and go.is_map(after):
        for key in dict.fromkeys([*before, *after]):
            yield from field_changes(before.get(key, ABSENT), after.get(key, ABSENT), _below(path, key))
    elif go.is_list(before) and go.is_list(after):
        first, second = _by_identity(before, after)
        for key in dict.fromkeys([*first, *second]):
            yield from field_changes(first.get(key, ABSENT), second.get(key, ABSENT), f"{path}[{key}]")
    else:
        yield FieldChange(path=path, before=before, after=after)


def _below(path: str, key: str) -> str:
    """Dots between keys; brackets around a key that has dots or slashes itself."""
    if not key.replace("_", "").replace("-", "").isalnum():
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _by_identity(before: list[Any], after: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both lists as maps, by the first field that names every item of both, else by position."""
    for identity in _IDENTITIES:
        names = [[str(_get(item, identity)) for item in items] for items in (before, after)]
        has_names = all(_get(item, identity) is not None for item in (*before, *after))
        if has_names and all(len(set(found)) == len(found) for found in names):
            return dict(zip(names[0], before, strict=True)), dict(zip(names[1], after, strict=True))
    return {str(index): item for index, item in enumerate(before)}, {str(index): it for index, it in enumerate(after)}


def _get(item: Any, key: str) -> Any:
    return cast("dict[str, Any]", item).get(key) if isinstance(item, dict) else None


def _opened(before: Any, after: Any) -> tuple[Any, Any]:
    """The content of two texts that are both JSON maps, such as run.json in a ConfigMap."""
    if isinstance(before, str) and isinstance(after, str) and before.lstrip()[:1] == after.lstrip()[:1] == "{":
        try:
            return json.loads(before), json.loads(after)
        except json.JSONDecodeError:
            pass
    return before, after
