r"""A nested tree of keys as Hydra command-line overrides, quoted by Hydra's own grammar.

Grammar: hydra/grammar/OverrideLexer.g4 and OverrideParser.g4 of Hydra 1.3. Every scalar that the grammar could read as
something else is quoted: in quotes only the quote itself and the backslashes before a quote are special.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .exit_codes import BootstrapError, ExitCode

_KEY = re.compile(r"(\+{0,2}|~)[A-Za-z_$][A-Za-z0-9_$-]*(\.([A-Za-z_$][A-Za-z0-9_$-]*|0|[1-9][0-9]*))*")
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/.-]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_DECIMAL = re.compile(r"-?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?")
_RESERVED = frozenset({"null", "true", "false", "inf", "nan"})
# An argument of a program ends at NUL, and a lone surrogate has no encoding.
_UNPASSABLE = re.compile("[\0\ud800-\udfff]")


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Dotted keys and their leaves; a list, and an object with no keys, is a leaf."""
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        path = prefix + key
        leaves.update(flatten(value, f"{path}.") if isinstance(value, dict) and value else {path: value})
    return leaves


def with_decimals(leaves: Mapping[str, Any]) -> dict[str, Any]:
    """The leaves with texts such as 5e-6 as the numbers that they are: Helm's `--set` knows whole numbers only.

    What a name is made of stays a text, as in `trainer.experiment_name=1.5`.
    """
    return {key: value if key.endswith("name") else _decimal(value) for key, value in leaves.items()}


def _decimal(value: Any) -> Any:
    if isinstance(value, list):
        return [_decimal(item) for item in value]
    return float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else value


def overrides(leaves: Mapping[str, Any]) -> Iterator[str]:
    """One `key=value` for each leaf, which Hydra's parser reads back as the same value.

    A key with `~` in front is taken away; it needs no value, and whatever is empty or null stands for none. The text
    null is null itself, since Helm drops a key that is null.

    Raises:
        BootstrapError: (`CONFIG`) Hydra's grammar cannot say the key or the value.
    """
    for key, value in leaves.items():
        if not _KEY.fullmatch(key):
            raise _refusal(
                key, "is no key that Hydra can override: names joined by dots, behind '+' to add, '~' to remove"
            )
        is_bare = key.startswith("~") and value in (None, "", "null")
        yield key if is_bare else f"{key}={_value(key, value)}"


def _value(key: str, value: Any) -> str:
    if value is None or value == "null":
        return "null"
    if isinstance(value, bool | int | float):
        return repr(value).lower()
    if isinstance(value, list):
        return f"[{','.join(_value(f'{key}[{index}]', item) for index, item in enumerate(value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(_pair(key, name, item) for name, item in value.items())}}}"
    return _string(key, value)


def _pair(key: str, name: str, item: Any) -> str:
    if not _IDENTIFIER.fullmatch(name) or name.lower() in _RESERVED:
        raise _refusal(f"{key}.{name}", "is no name that Hydra can write in a list's object: letters, digits, '_', '-'")
    return f"{name}:{_value(f'{key}.{name}', item)}"


def _string(key: str, text: str) -> str:
    if _UNPASSABLE.search(text):
        raise _refusal(key, f"is {text!r}, but NUL and lone surrogates cannot be passed to a program")
    if _PLAIN.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    escaped = re.sub(r"(\\*)'", r"\1\1\\'", text)
    return "'" + re.sub(r"(\\+)\Z", r"\1\1", escaped) + "'"


def _refusal(key: str, words: str) -> BootstrapError:
    return BootstrapError(ExitCode.CONFIG, f"training.hydra.{key} {words}")
