"""Values held against the schema, in the very words of `helm template`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from rlinf_constructs.helm import go, yaml_io
from rlinf_constructs.helm.errors import ValuesError
from rlinf_constructs.helm.nearest import nearest

_TYPE_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
}


Path = tuple[str | int, ...]

_MOST_GUESSES = 3

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Patterns mean what they mean to Go."""
    del validator, schema
    if isinstance(instance, str) and not go.regex(pattern).search(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator = extend(Draft7Validator, {"pattern": _pattern})


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
    errors = sorted(_Validator(schema).iter_errors(values), key=lambda error: list(map(str, error.path)))
    missing: dict[str, list[ValidationError]] = {}
    faults: list[Fault] = []
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
            faults.append(
                Fault(paths=_paths(error), sentence=sentence, hints=tuple(_hints(error, schema)), meant=_meant(error))
            )
    return [*faults, *(_missing(place, group, schema) for place, group in missing.items())]


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
    names = ", ".join(_quoted(_missing_property(error)) for error in errors)
    return Fault(
        paths=tuple((*error.absolute_path, _missing_property(error)) for error in errors),
        sentence=f"- at '{place}': missing {noun} {names}",
        hints=tuple(hint for error in errors for hint in _hints(error, schema)),
    )


def _paths(error: ValidationError) -> tuple[Path, ...]:
    place = tuple(error.absolute_path)
    return tuple((*place, key) for key in _unknown_keys(error)) if _is_of_a_key(error) else (place,)


def _meant(error: ValidationError) -> tuple[Path, ...]:
    """Of a map whose keys users choose, any may be meant: the map itself stands for them."""
    schema: Any = error.schema
    place = tuple(error.absolute_path)
    if not _is_of_a_key(error):
        return ()
    return (place,) if "patternProperties" in schema else tuple((*place, key) for key in schema.get("properties", {}))


def _is_of_a_key(error: ValidationError) -> bool:
    return error.validator == "additionalProperties"


def _prefix(error: ValidationError) -> str:
    """The dotted path of the map at fault, ready for a key behind it."""
    return "".join(f"{part}." for part in error.absolute_path)


def _place(error: ValidationError) -> str:
    return "/" + "/".join(map(str, error.absolute_path)) if error.absolute_path else ""


def _message(error: ValidationError) -> str:
    value: Any = error.instance
    limit: Any = error.validator_value
    messages = {
        "type": lambda: f"got {_type_name(value)}, want {' or '.join(limit) if go.is_list(limit) else limit}",
        "enum": lambda: "value must be one of " + ", ".join(map(_quoted, limit)),
        "const": lambda: f"value must be {_quoted(limit)}",
        "minimum": lambda: f"minimum: got {_grouped(value)}, want {_grouped(limit)}",
        "maximum": lambda: f"maximum: got {_grouped(value)}, want {_grouped(limit)}",
        "exclusiveMinimum": lambda: f"exclusiveMinimum: got {_grouped(value)}, want {_grouped(limit)}",
        "pattern": lambda: f"{_quoted(value)} does not match pattern {_quoted(limit)}",
        "minLength": lambda: f"minLength: got {len(value)}, want {limit}",
        "maxLength": lambda: f"maxLength: got {len(value)}, want {limit}",
        "maxItems": lambda: f"maxItems: got {len(value)}, want {limit}",
        "minItems": lambda: f"minItems: got {len(value)}, want {limit}",
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
    extra = sorted(_unknown_keys(error))
    return f"additional properties {', '.join(map(_quoted, extra))} not allowed"


def _unknown_keys(error: ValidationError) -> list[str]:
    schema: Any = error.schema
    known = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    instance: Any = error.instance
    return [key for key in instance if key not in known and not any(re.search(pattern, key) for pattern in patterns)]


def _missing_property(error: ValidationError) -> str:
    match = re.match(r"'(.*)' is a required property", error.message)
    assert match is not None, error.message
    return match.group(1)


def _hints(error: ValidationError, whole: dict[str, Any]) -> Iterator[str]:
    """What Helm's words leave open: the nearest key or choice, what a text means, and that a null has removed a key."""
    place = ".".join(map(str, error.absolute_path))
    if _is_of_a_key(error):
        yield from _hints_on_keys(error, place, whole)
    of_kind = {
        "enum": _hints_on_a_choice,
        "pattern": _hints_on_a_pattern,
        "required": _hints_on_a_missing_key,
        "type": _hints_on_a_type,
    }
    if hints := of_kind.get(str(error.validator)):
        yield from hints(error, place)


def _hints_on_keys(error: ValidationError, place: str, whole: dict[str, Any]) -> Iterator[str]:
    schema: Any = error.schema
    prefix = _prefix(error)
    known, patterns = sorted(schema.get("properties", {})), " or ".join(schema.get("patternProperties", {}))
    if names := _named_by_patterns(schema):
        known, patterns = names, ""
    for key in _unknown_keys(error):
        if patterns and not known:
            yield f"{prefix}{key}: a key of {place} must match {patterns}"
            continue
        near = nearest(key, known)
        meant = [f"{prefix}{near}"] if near else list(_paths_of(key, whole))
        question = f"; did you mean {' or '.join(meant)}?" if 0 < len(meant) <= _MOST_GUESSES else ""
        others = f" and what matches {patterns}" if patterns else ""
        yield f"{prefix}{key} is not a key of this chart: here it has {', '.join(known) or 'none'}{others}{question}"


def _paths_of(key: str, schema: dict[str, Any], *above: str) -> Iterator[str]:
    """Where else there is a key of that name: charts put tolerations, say, in different places."""
    for name, inner in schema.get("properties", {}).items():
        if name == key:
            yield ".".join((*above, name))
        yield from _paths_of(key, inner, *above, name)


def _hints_on_a_choice(error: ValidationError, place: str) -> Iterator[str]:
    schema: Any = error.schema
    choices: Any = error.validator_value
    near = nearest(error.instance, filter(None, choices)) if isinstance(error.instance, str) else ""
    if near:
        yield f"{place} is {error.instance}: did you mean {near}?"
    elif others := schema.get("$comment"):
        yield f"{place}: {others}"


def _named_by_patterns(schema: dict[str, Any]) -> list[str]:
    """All keys that a map may have, where its patterns are lists of names."""
    patterns = schema.get("patternProperties", {})
    if not all(re.fullmatch(r"\^\([-a-z|]+\)\$", pattern) for pattern in patterns):
        return []
    return sorted(name for pattern in patterns for name in pattern[2:-2].split("|"))


def _hints_on_a_pattern(error: ValidationError, place: str) -> Iterator[str]:
    schema: Any = error.schema
    if about := _about(schema):
        yield f"{place}: {about}"
    if allowed := schema.get("$comment"):
        yield f"{place}: allowed is {allowed}"


def _hints_on_a_missing_key(error: ValidationError, _place: str) -> Iterator[str]:
    schema: Any = error.schema
    missing = _missing_property(error)
    if _has_a_default(error):
        yield f"{_prefix(error)}{missing} was removed by a null: leave it out to keep its default"
    elif about := _about(schema["properties"].get(missing, {})):
        yield f"{_prefix(error)}{missing}: {about}"


def _hints_on_a_type(error: ValidationError, place: str) -> Iterator[str]:
    if written := _written_otherwise(error):
        yield f"{place}: {written}"


def _about(schema: dict[str, Any]) -> str:
    """The first line of a key's description."""
    return str(schema.get("description", "")).partition("\n")[0]


def _written_otherwise(error: ValidationError) -> str:
    """How YAML takes the same value for one of the right type: most such faults are quotes, missing or too many."""
    limit: Any = error.validator_value
    wanted = limit if go.is_list(limit) else [limit]
    value: Any = error.instance
    if "string" in wanted and isinstance(value, (bool, int, float)):
        return f'write it as a text, in quotes, such as "{go.json_text(value)}"'
    if isinstance(value, str) and any(_is_of_type(yaml_io.resolve(value), name) for name in wanted):
        return f"write it without quotes: {value}"
    return ""


def _is_of_type(value: Any, name: str) -> bool:
    return name != "null" and Draft7Validator.TYPE_CHECKER.is_type(value, name)


def _has_a_default(error: ValidationError) -> bool:
    """Whether the missing key is one of values.yaml, which can only be missing where a null has removed it."""
    if any(isinstance(part, int) for part in error.absolute_path):
        # An item of a list has no defaults.
        return False
    schema: Any = error.schema
    optional = set(schema["properties"]) - set(schema["required"])
    # The two that a parent chart may set; and pieces of Kubernetes' own objects have no descriptions here.
    return optional <= {"global", "enabled"} and "description" in schema["properties"][_missing_property(error)]


def _type_name(value: object) -> str:
    return "null" if value is None else _TYPE_NAMES[type(value)]


def _quoted(value: Any) -> str:
    if not isinstance(value, str):
        return go.json_text(value)
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
