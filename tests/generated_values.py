"""Hypothesis strategies for values that a schema allows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

# What YAML cannot hold unescaped is left out: control characters, surrogates and non-characters.
_CHARACTERS = st.characters(exclude_categories=["Cc", "Cs", "Cn"], exclude_characters="\ufeff")
_AWKWARD = [
    "no",
    "1e3",
    "a: b",
    "one\ntwo\n",
    "{{ .Values }}",
    "",
    " ",
    "~",
    "0x10",
    "'",
    '"',
    "#",
    "- x",
    "a\tb",
    "%s",
]
_AWKWARD += ["\\n", "1:30", "=", "\n", "null", "!tag", "*alias", "&anchor", "|", "y", "0o17", "1_000", ".5", "<a&b>"]
TEXT = st.text(_CHARACTERS, max_size=12) | st.sampled_from(_AWKWARD)


def _keeps_its_end(value: object) -> bool:
    """Helm's `toYaml`, by which whole maps and lists are written, drops the newline that ends their last text."""
    return not (isinstance(value, str) and value.endswith("\n"))


JSON = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6, allow_nan=False) | TEXT.filter(_keeps_its_end),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema allows; keys that are optional for a user may be missing."""
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    if isinstance(schema.get("type"), list):
        return st.one_of(*(values_of({**schema, "type": kind}) for kind in schema["type"]))
    if "anyOf" in schema:
        return st.one_of(*(values_of(option) for option in schema["anyOf"]))
    if "allOf" in schema:
        return st.one_of(*(values_of(variant) for variant in _variants(schema)))
    return _BY_TYPE[schema["type"]](schema) if "type" in schema else JSON


def _variants(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schema without its conditions (so some values break them), and one that meets each condition."""
    base = {key: value for key, value in schema.items() if key != "allOf"}
    met = [
        {**base, "properties": {**base["properties"], **rule["if"]["properties"], **rule["then"]["properties"]}}
        for rule in schema["allOf"]
    ]
    return [base, *met, *met]


_ANYTHING = st.dictionaries(st.from_regex(r"[A-Za-z_]{1,8}", fullmatch=True), JSON.filter(_keeps_its_end), max_size=2)


def _beside(known: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Further keys in an object that allows them."""
    return {**more, **known}


def _objects(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    properties = {key: value for key, value in schema.get("properties", {}).items() if not _is_of_a_parent_chart(value)}
    if properties:
        needed = {
            key: values_of(value) for key, value in properties.items() if "default" not in value and _is_leaf(value)
        }
        free = {key: values_of(value) for key, value in properties.items() if key not in needed}
        known = st.fixed_dictionaries(needed, optional=free)
        return st.builds(_beside, known, _ANYTHING) if schema.get("additionalProperties") is True else known
    if "patternProperties" in schema:
        [(pattern, inner)] = schema["patternProperties"].items()
        return st.dictionaries(st.from_regex(pattern, fullmatch=True), values_of(inner), max_size=3)
    inner = schema.get("additionalProperties", True)
    values = values_of(inner) if isinstance(inner, dict) else JSON
    keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
    return st.dictionaries(keys, values.filter(_keeps_its_end), max_size=3)


def _is_of_a_parent_chart(schema: dict[str, Any]) -> bool:
    return schema.get("description", "").endswith("not used here.")


def _is_leaf(schema: dict[str, Any]) -> bool:
    """Whether it holds a value that values.yaml must give itself (an item of a list) rather than keys."""
    return schema.get("type") != "object"


def _strings(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    low, high = schema.get("minLength", 0), schema.get("maxLength", 20)
    texts = st.from_regex(schema["pattern"], fullmatch=True) if "pattern" in schema else TEXT
    return texts.filter(lambda text: low <= len(text) <= high)


_BY_TYPE = {
    "object": _objects,
    "array": lambda schema: st.lists(
        values_of(schema.get("items", {})).filter(_keeps_its_end),
        min_size=schema.get("minItems", 0),
        max_size=schema.get("maxItems", 3),
    ),
    "string": _strings,
    "integer": lambda schema: st.integers(schema.get("minimum", -(10**9)), schema.get("maximum", 10**9)),
    "number": lambda schema: st.floats(
        schema.get("exclusiveMinimum", schema.get("minimum", -1e9)),
        schema.get("maximum", 1e9),
        exclude_min="exclusiveMinimum" in schema,
        allow_nan=False,
    ),
    "boolean": lambda _: st.booleans(),
}
