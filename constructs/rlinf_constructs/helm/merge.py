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

    >>> set_values({}, r"nodes.count=2,environment.LIST=a\,b")
    {'nodes': {'count': 2}, 'environment': {'LIST': 'a,b'}}

    Raises:
        ValueError: when there is no `=`, or a list is meant, by an index or by braces.
    """
    for assignment in _split(assignments, ","):
        values = overlay(values, _assigned(assignment))
    return values


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that no backslash hides."""
    return re.split(rf"(?<!\\){re.escape(separator)}", text)


def _assigned(assignment: str) -> dict[str, Any]:
    key, equals, text = assignment.partition("=")
    if not equals or not key or "[" in key or text.startswith("{"):
        raise ValueError(f"--set {assignment}: write KEY=VALUE with dots between keys; put lists into a values file")
    path = [re.sub(r"\\(.)", r"\1", part) for part in _split(key, ".")]
    nested: Any = _set_literal(re.sub(r"\\(.)", r"\1", text))
    for part in reversed(path):
        nested = {part: nested}
    return nested


def _set_literal(text: str) -> Any:
    """Helm's `--set` knows null, booleans and integers; all else is a string."""
    if text in ("true", "false", "null"):
        return yaml_io.resolve(text)
    is_integer = text.lstrip("-").isdigit() and (text == "0" or not text.lstrip("-").startswith("0"))
    return int(text) if is_integer else text
