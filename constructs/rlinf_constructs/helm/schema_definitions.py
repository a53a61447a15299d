"""A schema in which what repeats stands once, under `definitions`: shorter to read, and for Helm to load."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

_Schema = dict[str, Any]

# Keywords by what they hold: schemas by name, a list of schemas, one schema.
_BY_NAME = ("properties", "patternProperties")
_LISTS = ("anyOf", "oneOf", "allOf")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else")
# What is shorter reads better where it is used.
_SHORTEST = 200


def with_definitions(schema: _Schema) -> _Schema:
    """The same schema; a definition has the name of the first key that has its schema."""
    uses = _uses(schema)
    names: dict[str, str] = {}
    definitions: dict[str, _Schema] = {}

    def shortened(node: _Schema, key: str) -> _Schema:
        text = _text(node)
        if uses[text] < 2 or len(text) < _SHORTEST:
            return _with_children(node, key, shortened)
        if text not in names:
            names[text] = _free(key, definitions)
            definitions[names[text]] = {}
            definitions[names[text]] = _with_children(node, key, shortened)
        return {"$ref": f"#/definitions/{names[text]}"}

    result = _with_children(schema, "", shortened)
    return {**result, "definitions": dict(sorted(definitions.items()))} if definitions else result


def _uses(schema: _Schema) -> Counter[str]:
    """How often each schema is used; what is inside a repeated one counts once."""
    uses: Counter[str] = Counter()

    def count(node: _Schema, key: str) -> _Schema:
        uses[text := _text(node)] += 1
        return node if uses[text] > 1 else _with_children(node, key, count)

    _with_children(schema, "", count)
    return uses


def _with_children(node: _Schema, key: str, change: Callable[[_Schema, str], _Schema]) -> _Schema:
    """The schema with each of the schemas inside it changed, which knows the key of the values that it is for."""
    result = dict(node)
    for keyword in _BY_NAME:
        if keyword in node:
            named = keyword == "properties"
            result[keyword] = {name: change(child, name if named else key) for name, child in node[keyword].items()}
    for keyword in _LISTS:
        if keyword in node:
            result[keyword] = [change(child, key) for child in node[keyword]]
    for keyword in _SINGLE:
        if isinstance(node.get(keyword), dict):
            result[keyword] = change(node[keyword], key)
    return result


def _free(name: str, taken: dict[str, _Schema]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name}{number}"
        number += 1
    return free


def _text(schema: _Schema) -> str:
    return json.dumps(schema, sort_keys=True)
