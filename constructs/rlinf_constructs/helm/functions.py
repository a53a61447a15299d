"""The functions that templates may call, each with its twin in Python."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from rlinf_constructs.helm import go
from rlinf_constructs.helm.kinds import Kind


@dataclass(frozen=True, kw_only=True)
class TemplateFunction:
    """A template function and its twin in Python.

    Attributes:
        kind: of the result; a number stands for the kind of that argument.
        python: the twin.
        is_lazy: whether it may leave arguments unevaluated; such a twin takes one iterable of their values.
    """

    kind: Kind | int
    python: Callable[..., Any]
    is_lazy: bool = False


def _dig(*arguments: Any) -> Any:
    *keys, default, value = arguments
    for key in keys:
        if key not in value:
            return default
        value = value[key]
    return value


def _without_empty(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if go.truth(value)}


def _omit(mapping: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


def _regex_find(pattern: str, text: str) -> str:
    found = go.regex(pattern).search(text)
    return found.group() if found else ""


def _decimal_product(a: float, b: float) -> float:
    """Sprig multiplies in decimal, without loss."""
    return float(Fraction(repr(float(a))) * Fraction(repr(float(b))))


def _go_length(value: Any) -> int:
    """Go counts the bytes of a text."""
    return len(value.encode() if isinstance(value, str) else value)


def _trunc(length: int, text: str) -> str:
    return text.encode()[:length].decode(errors="ignore")


def _truncated_division(dividend: int, divisor: int) -> int:
    return abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)


# Of Go's kinds those that a value of one key may have both of.
_KINDS = {"string": str, "map": Mapping}


def _first_that_is(wanted: bool, values: Iterable[Any]) -> Any:
    """The first value whose truth is the wanted one, else the last; what follows it is not asked for."""
    value: Any = not wanted
    for value in values:
        if go.truth(value) is wanted:
            break
    return value


FUNCTIONS: dict[str, TemplateFunction] = {
    "and": TemplateFunction(kind=Kind.BOOLEAN, python=partial(_first_that_is, False), is_lazy=True),
    "or": TemplateFunction(kind=Kind.BOOLEAN, python=partial(_first_that_is, True), is_lazy=True),
    "not": TemplateFunction(kind=Kind.BOOLEAN, python=lambda value: not go.truth(value)),
    "eq": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a == b),
    "ne": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a != b),
    "gt": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a > b),
    "ge": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a >= b),
    "lt": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a < b),
    "le": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a <= b),
    "add": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a + b),
    "sub": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a - b),
    "mul": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a * b),
    "div": TemplateFunction(kind=Kind.INTEGER, python=_truncated_division),
    "mod": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a - b * _truncated_division(a, b)),
    "max": TemplateFunction(kind=Kind.INTEGER, python=max),
    "min": TemplateFunction(kind=Kind.INTEGER, python=min),
    "int64": TemplateFunction(kind=Kind.INTEGER, python=go.to_int64),
    "float64": TemplateFunction(kind=Kind.NUMBER, python=float),
    "mulf": TemplateFunction(kind=Kind.NUMBER, python=_decimal_product),
    "floor": TemplateFunction(kind=Kind.NUMBER, python=lambda value: float(math.floor(value))),
    "ceil": TemplateFunction(kind=Kind.NUMBER, python=lambda value: float(math.ceil(value))),
    "len": TemplateFunction(kind=Kind.INTEGER, python=_go_length),
    "default": TemplateFunction(kind=1, python=lambda fallback, value: value if go.truth(value) else fallback),
    "ternary": TemplateFunction(kind=0, python=lambda yes, no, condition: yes if condition else no),
    "dig": TemplateFunction(kind=-2, python=_dig),
    "dict": TemplateFunction(kind=Kind.MAP, python=lambda *pairs: dict(zip(pairs[::2], pairs[1::2], strict=True))),
    # Sprig's merge also fills what is empty in the first map, which it changes: give it a `dict`.
    "merge": TemplateFunction(kind=Kind.MAP, python=lambda first, second: {**first, **second, **_without_empty(first)}),
    "omit": TemplateFunction(kind=Kind.MAP, python=_omit),
    "hasKey": TemplateFunction(kind=Kind.BOOLEAN, python=lambda mapping, key: key in mapping),
    "contains": TemplateFunction(kind=Kind.BOOLEAN, python=lambda part, text: part in text),
    "hasPrefix": TemplateFunction(kind=Kind.BOOLEAN, python=lambda prefix, text: text.startswith(prefix)),
    "regexMatch": TemplateFunction(
        kind=Kind.BOOLEAN, python=lambda pattern, text: bool(go.regex(pattern).search(text))
    ),
    "keys": TemplateFunction(kind=Kind.LIST, python=list),
    "sortAlpha": TemplateFunction(kind=Kind.LIST, python=lambda items: sorted(items, key=str.encode)),
    "join": TemplateFunction(kind=Kind.STRING, python=lambda separator, items: separator.join(items)),
    "replace": TemplateFunction(kind=Kind.STRING, python=lambda old, new, text: text.replace(old, new)),
    "trimPrefix": TemplateFunction(kind=Kind.STRING, python=lambda prefix, text: text.removeprefix(prefix)),
    "regexFind": TemplateFunction(kind=Kind.STRING, python=_regex_find),
    "trimAll": TemplateFunction(kind=Kind.STRING, python=lambda characters, text: text.strip(characters)),
    "trunc": TemplateFunction(kind=Kind.STRING, python=_trunc),
    "sha256sum": TemplateFunction(kind=Kind.STRING, python=lambda text: hashlib.sha256(text.encode()).hexdigest()),
    "b64enc": TemplateFunction(kind=Kind.STRING, python=lambda text: base64.b64encode(text.encode()).decode()),
    "kindIs": TemplateFunction(kind=Kind.BOOLEAN, python=lambda kind, value: isinstance(value, _KINDS[kind])),
    "toRawJson": TemplateFunction(kind=Kind.STRING, python=go.json_text),
}
