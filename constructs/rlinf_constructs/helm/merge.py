"""How Helm lays a user's values over a chart's defaults."""

from __future__ import annotations

import copy
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


def set_value(values: dict[str, Any], assignment: str) -> dict[str, Any]:
    r"""Apply one `--set KEY=VALUE`, as Helm does for keys without indices; a dot in a key is written `\.`.

    >>> set_value({}, "training.hydra.data.n_samples=16")
    {'training': {'hydra': {'data': {'n_samples': 16}}}}

    Raises:
        ValueError: when there is no `=`, or the key has an index.
    """
    key, equals, text = assignment.partition("=")
    if not equals or not key or "[" in key:
        raise ValueError(f"--set {assignment}: write KEY=VALUE with dots between keys; put lists into a values file")
    path = [part.replace("\0", ".") for part in key.replace("\\.", "\0").split(".")]
    nested: Any = _set_literal(text)
    for part in reversed(path):
        nested = {part: nested}
    return overlay(values, nested)


def _set_literal(text: str) -> Any:
    """Helm's `--set` knows null, booleans and integers; all else is a string."""
    if text in ("true", "false", "null"):
        return yaml_io.resolve(text)
    is_integer = text.lstrip("-").isdigit() and (text == "0" or not text.lstrip("-").startswith("0"))
    return int(text) if is_integer else text
