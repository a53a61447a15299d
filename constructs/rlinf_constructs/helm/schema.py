"""values.schema.json from the pydantic model of the values."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from rlinf_constructs.helm import go


def values_schema(model: type[BaseModel], *, title: str) -> dict[str, Any]:
    """The draft-07 schema of the values, self-contained and strict.

    Every key is required, except in the items of lists: values.yaml gives each a default, so only a user's null can
    take one away.
    """
    generated = model.model_json_schema(by_alias=True)
    definitions = generated.pop("$defs", {})
    schema = _inline(generated, definitions, in_list=False)
    # Helm adds `global` to the values of a chart that is used inside another one.
    schema["properties"]["global"] = {"type": "object", "description": "Values of a parent chart; not used here."}
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": title, **schema}


def _inline(node: Any, definitions: dict[str, Any], *, in_list: bool) -> Any:
    if go.is_list(node):
        return [_inline(item, definitions, in_list=in_list) for item in node]
    if not go.is_map(node):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        merged = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        return _inline(merged, definitions, in_list=in_list)
    result = {
        key: _inline(value, definitions, in_list=in_list or key == "items")
        for key, value in node.items()
        if key not in ("title", "properties")
    }
    if "properties" in node:
        properties = node["properties"].items()
        result["properties"] = {key: _inline(value, definitions, in_list=in_list) for key, value in properties}
        result["required"] = list(node.get("required", [])) if in_list else list(node["properties"])
    return result
