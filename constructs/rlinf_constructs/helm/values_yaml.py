"""values.yaml and the reference table from the pydantic model of the values."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rlinf_constructs.helm import go, yaml_io
from rlinf_constructs.helm.schema import values_schema

_WIDTH = 100


@dataclass(frozen=True, kw_only=True)
class Key:
    """One key of the values.

    Attributes:
        path: as a user writes it, such as `nodes.count`.
        allowed: type and range in words.
        default: the default as JSON.
        description: one or two sentences.
    """

    path: str
    allowed: str
    default: str
    description: str


def defaults(model: type[BaseModel]) -> dict[str, Any]:
    """The chart's default values."""
    return model().model_dump(mode="json", by_alias=True)


def values_yaml(model: type[BaseModel], *, header: str) -> str:
    """The text of values.yaml, with a comment on every key."""
    lines = [*_comment(header, ""), *_section(model, defaults(model), "")]
    return "\n".join(lines) + "\n"


def _section(model: type[BaseModel], values: dict[str, Any], pad: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        key = field.alias or name
        yield from [""] if not pad else []
        yield from _comment(_description(key, field), pad)
        nested = _nested_model(field)
        if nested is not None:
            yield f"{pad}{key}:"
            yield from _section(nested, values[key], pad + "  ")
        else:
            yield from (f"{pad}{line}" for line in yaml_io.dump({key: values[key]}).splitlines())


def reference(model: type[BaseModel]) -> list[Key]:
    """All keys with what they allow, in the order of values.yaml."""
    schema = values_schema(model, title="")
    return list(_keys(model, schema["properties"], defaults(model), ""))


def _keys(model: type[BaseModel], properties: dict[str, Any], values: dict[str, Any], prefix: str) -> Iterator[Key]:
    for name, field in model.model_fields.items():
        key = field.alias or name
        nested = _nested_model(field)
        if nested is not None:
            yield from _keys(nested, properties[key]["properties"], values[key], f"{prefix}{key}.")
            continue
        yield Key(
            path=prefix + key,
            allowed=allowed(properties[key]),
            default=go.json_text(values[key]),
            description=_description(key, field),
        )
        yield from _item_keys(field, properties[key], prefix + key)


def _item_keys(field: FieldInfo, schema: dict[str, Any], path: str) -> Iterator[Key]:
    """The keys of what a list or map holds, which values.yaml has no place for."""
    model = next((item for item in get_args(field.annotation) if _is_model(item)), None)
    if model is None:
        return
    is_list = "items" in schema
    items = schema["items"] if is_list else next(iter(schema["patternProperties"].values()))
    for name, item in model.model_fields.items():
        key = item.alias or name
        yield Key(
            path=f"{path}[].{key}" if is_list else f"{path}.KEY.{key}",
            allowed=allowed(items["properties"][key]),
            default="required" if item.is_required() else go.json_text(item.get_default(call_default_factory=True)),
            description=_description(key, item),
        )


def allowed(schema: dict[str, Any]) -> str:
    """What a schema allows, in a few words.

    >>> allowed({"type": "integer", "minimum": 1})
    'integer, at least 1'
    """
    if "enum" in schema or "const" in schema:
        return " or ".join(
            f"`{value}`" if value != "" else '`""`' for value in schema.get("enum", [schema.get("const")])
        )
    if "anyOf" in schema:
        return " or ".join(allowed(option) for option in schema["anyOf"])
    kind: str = schema.get("type", "any")
    words = [{"array": "list", "object": "map"}.get(kind, kind)]
    words += [f"at least {schema['minimum']}"] if "minimum" in schema else []
    words += [f"above {schema['exclusiveMinimum']:g}"] if "exclusiveMinimum" in schema else []
    words += [f"at most {schema['maximum']}"] if "maximum" in schema else []
    words += [f"like `{schema['pattern']}`"] if "pattern" in schema else []
    return ", ".join(words)


def reference_table(model: type[BaseModel]) -> str:
    """The reference as a Markdown table."""
    rows = ["| key | allowed | default | meaning |", "|---|---|---|---|"]
    for key in reference(model):
        cells = (f"`{key.path}`", key.allowed, f"`{key.default}`", key.description)
        rows.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _description(key: str, field: FieldInfo) -> str:
    assert field.description, f"the key {key} of the values has no description"
    return field.description


def _nested_model(field: FieldInfo) -> type[BaseModel] | None:
    return field.annotation if _is_model(field.annotation) else None


def _is_model(annotation: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _comment(text: str, pad: str) -> list[str]:
    return [
        f"{pad}# {line}" if line else f"{pad}#"
        for paragraph in text.splitlines()
        for line in textwrap.wrap(paragraph, _WIDTH - len(pad)) or [""]
    ]
