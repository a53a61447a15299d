"""How Helm lays a user's values over a chart's defaults."""

from __future__ import annotations

import copy
from typing import Any

from rlinf_constructs.helm import go


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
