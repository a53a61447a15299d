"""values.schema.json from the pydantic model of the values."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from rlinf_constructs.helm import go

# What holds the schema of items, which values.yaml cannot give defaults to.
_OF_COLLECTIONS = ("items", "additionalProperties", "patternProperties")


def values_schema(model: type[BaseModel], *, title: str) -> dict[str, Any]:
    """The draft-07 schema of the values, self-contained and strict.

    Every key is required, except in the items of lists and maps: values.yaml gives each a default, so only a user's
    null can take one away.
    """
    generated = model.model_json_schema(by_alias=True)
    definitions = generated.pop("$defs", {})
    schema = _inline(generated, definitions, is_partial=False)
    # Inside another chart, Helm adds `global`, and a dependency's condition is usually `enabled`.
    schema["properties"]["global"] = {"type": "object", "description": "Values of a parent chart; not used here."}
    # Helm asks a chart that is left out for nothing, so a false one here has been read by no parent.
    schema["properties"]["enabled"] = {
        "type": "boolean",
        "enum": [True],
        "description": "For a parent chart; not used here.",
        "$comment": "a parent chart reads it, by `condition: NAME.enabled` on this dependency, and Helm alone does "
        "not; uninstall a release that shall not be",
    }
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": title, **schema}


def partial_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a map that may set any of the model's keys, and no other."""
    generated = model.model_json_schema(by_alias=True)
    definitions = generated.pop("$defs", {})
    return _inline(generated, definitions, is_partial=True)


def _inline(node: Any, definitions: dict[str, Any], *, is_partial: bool) -> Any:
    if go.is_list(node):
        return [_inline(item, definitions, is_partial=is_partial) for item in node]
    if not go.is_map(node):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        merged = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        return _inline(merged, definitions, is_partial=is_partial)
    result = {
        key: _inline(value, definitions, is_partial=is_partial or key in _OF_COLLECTIONS)
        for key, value in node.items()
        if key not in ("title", "properties")
    }
    if node.get("type") == "integer" and "enum" not in node and "const" not in node:
        # Beyond, numbers in templates overflow.
        result.setdefault("maximum", 2**31 - 1)
    if "patternProperties" in node:
        # pydantic refuses other keys; a schema must say so.
        result["additionalProperties"] = False
    if "properties" in node:
        properties = node["properties"].items()
        result["properties"] = {key: _inline(value, definitions, is_partial=is_partial) for key, value in properties}
        result["required"] = node.get("required", [] if is_partial else list(node["properties"]))
    return result
