"""Hypothesis strategies for values that a schema allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


_ANY_KEY = r"[A-Za-z_][A-Za-z0-9_]{0,8}"


def _keeps_its_end(value: object) -> bool:
    """Helm's `toYaml`, by which whole maps and lists are written, drops the newline that ends their last text."""
    return not (isinstance(value, str) and value.endswith("\n"))


JSON = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6, allow_nan=False) | TEXT.filter(_keeps_its_end),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def values_of(
    schema: dict[str, Any], *, given: Mapping[str, st.SearchStrategy[Any]] | None = None, must: str = ""
) -> st.SearchStrategy[Any]:
    """Values that the schema allows; keys that are optional for a user may be missing.

    Args:
        schema: of the values.
        given: strategies by dotted key, for what the schema leaves open and others do not.
        must: dotted key that is never missing; `*` stands for a key of the user's choice.
    """
    return _Generator(given=given or {}, must=must).values(schema, "")


@dataclass(frozen=True, kw_only=True)
class _Generator:
    given: Mapping[str, st.SearchStrategy[Any]]
    must: str

    def values(self, schema: dict[str, Any], key: str) -> st.SearchStrategy[Any]:
        if key in self.given:
            return self.given[key]
        if "enum" in schema or "const" in schema:
            return st.sampled_from(schema.get("enum", [schema.get("const")]))
        variants = _variants(schema)
        if variants:
            possible = [it for it in variants if not self._leads_through(key) or _has(it, self._rest(key))]
            return st.one_of(*(self.values(variant, key) for variant in possible))
        if schema.get("type") == "object":
            return self._maps(schema, key)
        if schema.get("type") == "array":
            items = self.values(schema.get("items", {}), f"{key}[]").filter(_keeps_its_end)
            return st.lists(items, min_size=schema.get("minItems", 0), max_size=schema.get("maxItems", 3))
        return _SCALARS[schema["type"]](schema) if "type" in schema else JSON

    def _maps(self, schema: dict[str, Any], key: str) -> st.SearchStrategy[Any]:
        properties = {name: value for name, value in schema.get("properties", {}).items() if not is_of_a_parent(value)}
        if not properties:
            return self._maps_of_own_keys(schema, key)
        places = {name: f"{key}.{name}".lstrip(".") for name in properties}
        values = {name: self.values(value, places[name]) for name, value in properties.items()}
        needed = {
            name
            for name, value in properties.items()
            if self._leads_through(places[name])
            or ("default" not in value and _is_leaf(value))
            # Pieces of Kubernetes' own objects, which have no descriptions, have no defaults either.
            or (name in schema.get("required", ()) and "description" not in value)
        }
        known = st.fixed_dictionaries(
            {name: value for name, value in values.items() if name in needed},
            optional={name: value for name, value in values.items() if name not in needed},
        )
        return st.builds(_beside, known, _ANYTHING) if schema.get("additionalProperties") is True else known

    def _maps_of_own_keys(self, schema: dict[str, Any], key: str) -> st.SearchStrategy[Any]:
        """Maps whose keys users choose, of one or more patterns."""
        maps = [
            st.dictionaries(
                st.from_regex(pattern, fullmatch=True),
                self.values(inner, f"{key}.*").filter(_keeps_its_end),
                min_size=1 if self._leads_through(f"{key}.*") else 0,
                max_size=3,
            )
            for pattern, inner in _patterns(schema).items()
        ]
        return st.tuples(*maps).map(lambda parts: {name: value for part in parts for name, value in part.items()})

    def _leads_through(self, key: str) -> bool:
        return f"{self.must}.".startswith(f"{key}.") if key else bool(self.must)

    def _rest(self, key: str) -> list[str]:
        return list(filter(None, self.must.removeprefix(key).split(".")))


_ANYTHING = st.dictionaries(st.from_regex(r"[A-Za-z_]{1,8}", fullmatch=True), JSON.filter(_keeps_its_end), max_size=2)


def _beside(known: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Further keys in an object that allows them."""
    return {**more, **known}


def _patterns(schema: dict[str, Any]) -> dict[str, Any]:
    """Schemas of values by the pattern of their keys."""
    inner = schema.get("additionalProperties", True)
    return schema.get("patternProperties") or {_ANY_KEY: inner if isinstance(inner, dict) else {}}


def _has(schema: dict[str, Any], path: list[str]) -> bool:
    """Whether the schema says something of a path."""
    if not path:
        return True
    name, *rest = path
    inner = next(iter(_patterns(schema).values())) if name == "*" else schema.get("properties", {}).get(name)
    return inner is not None and any(_has(it, rest) for it in _variants(inner) or [inner])


def _variants(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas of which a value meets one; none for a simple schema."""
    if isinstance(schema.get("type"), list):
        return [{**schema, "type": kind} for kind in schema["type"]]
    return _met(schema) if "allOf" in schema else schema.get("anyOf", [])


def _met(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The schema without its conditions (so some values break them), and one that meets each condition."""
    base = {key: value for key, value in schema.items() if key != "allOf"}
    met = [
        {**base, "properties": {**base["properties"], **rule["if"]["properties"], **rule["then"]["properties"]}}
        for rule in schema["allOf"]
    ]
    return [base, *met, *met]


def is_of_a_parent(schema: dict[str, Any]) -> bool:
    """Whether a key is there for the values of a parent chart only."""
    return schema.get("description", "").endswith("not used here.")


def _is_leaf(schema: dict[str, Any]) -> bool:
    """Whether it holds a value that values.yaml must give itself (an item of a list) rather than keys."""
    return schema.get("type") != "object"


def _strings(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    low, high = schema.get("minLength", 0), schema.get("maxLength", 20)
    texts = st.from_regex(schema["pattern"], fullmatch=True) if "pattern" in schema else TEXT
    return texts.filter(lambda text: low <= len(text) <= high)


def _integers(schema: dict[str, Any]) -> st.SearchStrategy[int]:
    low = schema["exclusiveMinimum"] + 1 if "exclusiveMinimum" in schema else schema.get("minimum", -(10**9))
    return st.integers(low, schema.get("maximum", 10**9))


def _numbers(schema: dict[str, Any]) -> st.SearchStrategy[float]:
    return st.floats(
        schema.get("exclusiveMinimum", schema.get("minimum", -1e9)),
        schema.get("maximum", 1e9),
        exclude_min="exclusiveMinimum" in schema,
        allow_nan=False,
    )


_SCALARS = {
    "string": _strings,
    "integer": _integers,
    "number": _numbers,
    "boolean": lambda _: st.booleans(),
}
