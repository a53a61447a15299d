"""What Go and Helm's functions do to a value, in Python: the plain rendering must agree with `helm template`."""

from __future__ import annotations

import functools
import json
import math
import re
import unicodedata
from decimal import Decimal
from typing import Any, TypeGuard

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def is_map(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether value is a map as YAML and JSON know it."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether value is a list as YAML and JSON know it."""
    return isinstance(value, list)


def quote(text: str) -> str:
    r"""Quote as Go's `%q` does; the result is also a YAML double-quoted scalar.

    >>> quote('say "no"\n')
    '"say \\"no\\"\\n"'
    """
    return '"' + "".join(map(_quote_character, text)) + '"'


def _quote_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character == " " or _is_printable(character):
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_printable(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMNPS"


def number_text(value: float) -> str:
    """Write a number as Go's JSON encoder does.

    >>> [number_text(value) for value in (1e6, 5e-6, 5e-7, 1e21, 0.1)]
    ['1000000', '0.000005', '5e-7', '1e+21', '0.1']
    """
    # Helm reads every number as a 64-bit float.
    value = float(value)
    if value == 0:
        return "0" if math.copysign(1, value) > 0 else "-0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    significand = "".join(map(str, digits))
    magnitude = len(significand) + exponent - 1
    prefix = "-" if sign else ""
    if -6 <= magnitude < 21:
        return prefix + format(abs(Decimal(repr(value))).normalize(), "f")
    mantissa = significand[0] + ("." + significand[1:] if len(significand) > 1 else "")
    return f"{prefix}{mantissa}e{'+' if magnitude > 0 else '-'}{abs(magnitude)}"


def json_text(value: object, *, escape_html: bool = False) -> str:
    """Write a value as Helm's `toRawJson` (or `toJson`, which also escapes `<`, `>` and `&`).

    >>> json_text({"b": [1.0, None], "a": "<"})
    '{"a":"<","b":[1,null]}'
    """
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return _json_string(value, escape_html=escape_html)
    if is_map(value):
        entries = (
            f"{_json_string(key, escape_html=escape_html)}:{json_text(value[key], escape_html=escape_html)}"
            for key in sorted(value, key=str.encode)
        )
        return "{" + ",".join(entries) + "}"
    assert is_list(value), f"not a value of YAML: {value!r}"
    return "[" + ",".join(json_text(item, escape_html=escape_html) for item in value) + "]"


def _json_string(text: str, *, escape_html: bool) -> str:
    encoded = json.dumps(text, ensure_ascii=False)
    special = "\u2028\u2029" + ("<>&" if escape_html else "")
    for character in special:
        encoded = encoded.replace(character, f"\\u{ord(character):04x}")
    return encoded


def to_int64(value: object) -> int:
    """Convert as Sprig's `int64` does: what is no number becomes 0.

    >>> [to_int64(value) for value in (2.9, "64", "${data.x}", None, True, "5.0", "0x10", "010", "1_000")]
    [2, 64, 0, 0, 1, 5, 16, 8, 1000]
    """
    if isinstance(value, str):
        return _parse_int(re.sub(r"\.0+\Z", "", value))
    return int(value) if isinstance(value, (int, float)) else 0


_INTEGER = re.compile(
    r"[-+]?(0[xX](_?[0-9a-fA-F])+|0[oO](_?[0-7])+|0[bB](_?[01])+|0(_?[0-7])*|[1-9](_?[0-9])*)", re.ASCII
)


def _parse_int(text: str) -> int:
    """Go's `ParseInt` by the prefix: a leading 0 alone means octal, and underscores may part digits."""
    if not _INTEGER.fullmatch(text):
        return 0
    value = int(re.sub(r"^([-+]?)0(?=[0-7_])", r"\g<1>0o", text), base=0)
    return value if -(2**63) <= value < 2**63 else 0


@functools.lru_cache(maxsize=1024)
def regex(pattern: str) -> re.Pattern[str]:
    r"""A pattern as Go reads it: `$` is the very end of a text, and classes of characters are ASCII.

    >>> regex("^[a-z]+$").search("no\n") is None
    True
    """
    escaped_or_class = r"(\\.|\[(?:\\.|[^\]\\])*\])"
    return re.compile(re.sub(rf"{escaped_or_class}|\$", lambda match: match[1] or r"\Z", pattern), re.ASCII)


def truth(value: object) -> bool:
    """Whether a Go template's `if` takes the value for true: not false, 0, null, or empty."""
    return bool(value)
