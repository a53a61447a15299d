"""How Helm lays a user's values over a chart's defaults."""

from __future__ import annotations

import copy
import re
from typing import Any

from rlinf_constructs.helm import go, yaml_io


def overlay(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """Several values files become one: maps merge, everything else is replaced, the last one wins."""
    result = copy.deepcopy(base)
    for key, value in override.items():
        below = result.get(key)
        result[key] = overlay(below, value) if go.is_map(below) and go.is_map(value) else copy.deepcopy(value)
    return result


def with_defaults(defaults: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values that a template sees. As in Helm, null removes a default."""
    result = copy.deepcopy(values)
    for key, default in defaults.items():
        if key not in result:
            result[key] = copy.deepcopy(default)
        elif result[key] is None:
            del result[key]
        elif go.is_map(default) and go.is_map(result[key]):
            result[key] = with_defaults(default, result[key])
    return result


def set_values(values: dict[str, Any], assignments: str) -> dict[str, Any]:
    r"""Apply a `--set KEY=VALUE,KEY=VALUE` as Helm does; a dot or comma that is meant is written `\.` or `\,`.

    >>> set_values({}, r"nodes.count=2,image.pullSecrets={a,b},environment.LIST=a\,b")
    {'nodes': {'count': 2}, 'image': {'pullSecrets': ['a', 'b']}, 'environment': {'LIST': 'a,b'}}

    Raises:
        ValueError: when there is no `=`, or a key has an index.
    """
    for assignment in re.findall(_ASSIGNMENT, assignments):
        values = overlay(values, _assigned(assignment, typed=True))
    return values


def set_string(values: dict[str, Any], assignment: str) -> dict[str, Any]:
    """Apply one `--set-string KEY=VALUE`: the value is a text, whatever it looks like."""
    return overlay(values, _assigned(assignment, typed=False))


# Up to the next comma that is neither hidden by a backslash nor inside braces.
_ASSIGNMENT = r"(?:\\.|\{(?:\\.|[^}\\])*\}|[^,\\])+"


def _assigned(assignment: str, *, typed: bool) -> dict[str, Any]:
    key, equals, text = assignment.partition("=")
    if not equals or not key or "[" in key:
        raise ValueError(f"--set {assignment}: write KEY=VALUE with dots between keys; put items of lists into a file")
    nested: Any = _set_value(text) if typed else _without_backslashes(text)
    for part in reversed(re.split(r"(?<!\\)\.", key)):
        nested = {_without_backslashes(part): nested}
    return nested


def _set_value(text: str) -> Any:
    if text.startswith("{") and text.endswith("}"):
        return [_set_literal(item) for item in re.split(r"(?<!\\),", text[1:-1])]
    return _set_literal(text)


def _set_literal(text: str) -> Any:
    """Helm's `--set` knows null, booleans and integers; all else is a string."""
    if text.lower() in ("true", "false", "null"):
        return yaml_io.resolve(text.lower())
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text, re.ASCII):
        return int(text)
    return _without_backslashes(text)


def _without_backslashes(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
