"""Values held against the schema, in the very words of `helm template`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from jsonschema.exceptions import ValidationError

from rlinf_constructs.helm import go
from rlinf_constructs.helm.errors import ValuesError
from rlinf_constructs.helm.hints import hints_on
from rlinf_constructs.helm.schema_errors import Validator, is_of_a_key, missing_property, unknown_keys

_TYPE_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
}


_ORDER_OF_TYPES = ("null", "boolean", "number", "integer", "string", "array", "object")

Path = tuple[str | int, ...]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What the schema has against one place of the values.

    Attributes:
        paths: of the keys that are at fault.
        sentence: as Helm words it.
        hints: what to do, where Helm says nothing of it.
        meant: paths of the keys one of which may have been meant by one that does not exist.
    """

    paths: tuple[Path, ...]
    sentence: str
    hints: tuple[str, ...]
    meant: tuple[Path, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The dotted paths."""
        return tuple(".".join(map(str, path)) for path in self.paths)


def check_schema(values: dict[str, Any], schema: dict[str, Any], *, chart: str) -> None:
    """Refuse values that do not fit the schema.

    Raises:
        ValuesError: with every fault.
    """
    faults = schema_faults(values, schema)
    if not faults:
        return
    head = f"values don't meet the specifications of the schema(s) in the following chart(s):\n{chart}:"
    hints = dict.fromkeys(hint for fault in faults for hint in fault.hints)
    raise ValuesError([head, *dict.fromkeys(fault.sentence for fault in faults)], list(hints))


def schema_faults(values: dict[str, Any], schema: dict[str, Any]) -> list[Fault]:
    """Everything in the values that does not fit the schema."""
    errors = sorted(Validator(schema).iter_errors(values), key=lambda error: list(map(str, error.path)))
    missing: dict[str, list[ValidationError]] = {}
    # By sentence, since the schemas of a key and of an engine's keys may have the same against it.
    faults: dict[str, Fault] = {}
    leaves = list(_leaves(errors))
    # Helm asks no more of a value that is of the wrong type.
    mistyped = {_schema_place(error) for error in leaves if error.validator == "type"}
    for error in leaves:
        if _schema_place(error) in mistyped and error.validator != "type":
            continue
        if error.validator == "required":
            missing.setdefault(_place(error), []).append(error)
        else:
            sentence = f"- at '{_place(error)}': {_message(error)}"
            hints = tuple(hints_on(error, schema))
            fault = Fault(paths=_paths(error), sentence=sentence, hints=hints, meant=_meant(error))
            faults.setdefault(sentence, fault)
    return [*faults.values(), *(_missing(place, group, schema) for place, group in missing.items())]


def _schema_place(error: ValidationError) -> tuple[str, ...]:
    """The place in the values, and the one in the schema that asks something of it."""
    return (*map(str, error.absolute_path), "", *map(str, list(error.absolute_schema_path)[:-1]))


def _leaves(errors: list[ValidationError]) -> Iterator[ValidationError]:
    """The faults themselves, without the `if`/`then` and `allOf` around them."""
    for error in errors:
        if error.validator in ("allOf", "if") and error.context:
            yield from _leaves(list(error.context))
        else:
            yield error


def _missing(place: str, errors: list[ValidationError], schema: dict[str, Any]) -> Fault:
    """Helm names all keys that are missing at one place in one sentence."""
    noun = "property" if len(errors) == 1 else "properties"
    names = ", ".join(_quoted(missing_property(error)) for error in errors)
    return Fault(
        paths=tuple((*error.absolute_path, missing_property(error)) for error in errors),
        sentence=f"- at '{place}': missing {noun} {names}",
        hints=tuple(hint for error in errors for hint in hints_on(error, schema)),
    )


def _paths(error: ValidationError) -> tuple[Path, ...]:
    place = tuple(error.absolute_path)
    return tuple((*place, key) for key in unknown_keys(error)) if is_of_a_key(error) else (place,)


def _meant(error: ValidationError) -> tuple[Path, ...]:
    """Of a map whose keys users choose, any may be meant: the map itself stands for them."""
    schema: Any = error.schema
    place = tuple(error.absolute_path)
    if not is_of_a_key(error):
        return ()
    return (place,) if "patternProperties" in schema else tuple((*place, key) for key in schema.get("properties", {}))


def _place(error: ValidationError) -> str:
    return "/" + "/".join(map(str, error.absolute_path)) if error.absolute_path else ""


def _message(error: ValidationError) -> str:
    value: Any = error.instance
    limit: Any = error.validator_value
    messages = {
        "type": lambda: f"got {_type_name(value)}, want {_types(limit)}",
        "enum": lambda: f"value must be {'one of ' if len(limit) > 1 else ''}{', '.join(map(_quoted, limit))}",
        "const": lambda: f"value must be {_quoted(limit)}",
        "minimum": lambda: f"minimum: got {_grouped(value)}, want {_grouped(limit)}",
        "maximum": lambda: f"maximum: got {_grouped(value)}, want {_grouped(limit)}",
        "exclusiveMinimum": lambda: f"exclusiveMinimum: got {_grouped(value)}, want {_grouped(limit)}",
        "pattern": lambda: f"{_quoted(value)} does not match pattern {_quoted(limit)}",
        "minLength": lambda: f"minLength: got {len(value)}, want {limit}",
        "maxLength": lambda: f"maxLength: got {len(value)}, want {limit}",
        "maxItems": lambda: f"maxItems: got {len(value)}, want {limit}",
        "minItems": lambda: f"minItems: got {len(value)}, want {limit}",
        "minProperties": lambda: f"minProperties: got {len(value)}, want {limit}",
        "maxProperties": lambda: f"maxProperties: got {len(value)}, want {limit}",
        "additionalProperties": lambda: _additional(error),
    }
    make = messages.get(str(error.validator))
    return make() if make else error.message


def _grouped(number: float) -> str:
    """Helm's validator prints numbers for people: 65,535, and powers of ten from a million on."""
    if abs(number) >= 1_000_000:
        mantissa, _, exponent = f"{Decimal(repr(number)).normalize():e}".partition("e")
        return f"{mantissa}\u00d710{exponent.lstrip('+').zfill(2).translate(_SUPERSCRIPTS)}"
    return f"{number:,.3f}".rstrip("0").rstrip(".")


def _additional(error: ValidationError) -> str:
    extra = sorted(unknown_keys(error))
    return f"additional properties {', '.join(map(_quoted, extra))} not allowed"


def _types(wanted: str | list[str]) -> str:
    """Helm's validator has an order of its own."""
    return " or ".join(sorted([wanted] if isinstance(wanted, str) else wanted, key=_ORDER_OF_TYPES.index))


def _type_name(value: object) -> str:
    return "null" if value is None else _TYPE_NAMES[type(value)]


def _quoted(value: Any) -> str:
    if not isinstance(value, str):
        return go.json_text(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
