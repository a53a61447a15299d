"""What Helm's words leave open: the key or choice that was meant, and how to write a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError

from rlinf_constructs.helm import go, yaml_io
from rlinf_constructs.helm.nearest import nearest
from rlinf_constructs.helm.schema_errors import Validator, is_of_a_key, missing_property, prefix, unknown_keys

_MOST_GUESSES = 3
_OF_A_PARENT = {"global", "enabled"}


def hints_on(error: ValidationError, whole: dict[str, Any]) -> Iterator[str]:
    """What to do about a fault, one sentence each.

    Args:
        error: the fault.
        whole: the schema of all values.
    """
    if is_of_a_key(error):
        yield from _on_keys(error, whole)
    of_kind = {"enum": _on_a_choice, "pattern": _on_a_pattern, "required": _on_a_missing_key, "type": _on_a_type}
    if on := of_kind.get(str(error.validator)):
        place = ".".join(map(str, error.absolute_path))
        yield from (f"{place}{hint}" for hint in on(error))


def _on_keys(error: ValidationError, whole: dict[str, Any]) -> Iterator[str]:
    schema: Any = error.schema
    place = prefix(error)
    # A parent chart sets these at the root.
    known = sorted(set(schema.get("properties", {})) - (_OF_A_PARENT if not place else set()))
    patterns = schema.get("patternProperties", {})
    if names := _named_by(patterns):
        known, patterns = names, {}
    of_users = schema.get("$comment") or f"what matches {' or '.join(patterns)}"
    *_, last = unknown = unknown_keys(error)
    for key in unknown:
        if patterns and not known:
            yield f"{place}{key}: allowed as a key of {place.rstrip('.')} is {of_users}"
        elif key.partition(".")[0] in known and "." in key:
            yield f"{place}{key}: dots of a file's key lead nowhere; write {_nested(key)}"
        else:
            others = f" and {of_users}" if patterns else ""
            # Once for all keys of a place.
            allowed = f": here it has {', '.join(known) or 'none'}{others}" if key == last else ""
            meant = _question(_meant(key, place, known, whole))
            yield f"{place}{key} is not a key of this chart{allowed}{meant}"


def _named_by(patterns: dict[str, Any]) -> list[str]:
    """All keys that a map may have, where its patterns are lists of names."""
    if not all(re.fullmatch(r"\^\([-a-z|]+\)\$", pattern) for pattern in patterns):
        return []
    return sorted(name for pattern in patterns for name in pattern[2:-2].split("|"))


def _nested(key: str) -> str:
    """a.b as a: {b: ...}."""
    head, dot, rest = key.partition(".")
    return f"{head}: {{{_nested(rest)}}}" if dot else f"{head}: ..."


def _meant(key: str, place: str, known: list[str], whole: dict[str, Any]) -> list[str]:
    """The near key, else those of that name elsewhere in the section: charts put tolerations, say, anywhere."""
    if near := nearest(key, known):
        return [f"{place}{near}"]
    section = place.partition(".")[0]
    return [path for path in _paths_of(key, whole) if path.startswith(section)]


def _paths_of(key: str, schema: dict[str, Any], *above: str) -> Iterator[str]:
    for name, inner in schema.get("properties", {}).items():
        if name == key:
            yield ".".join((*above, name))
        yield from _paths_of(key, inner, *above, name)


def _question(meant: list[str]) -> str:
    return f"; did you mean {' or '.join(meant)}?" if 0 < len(meant) <= _MOST_GUESSES else ""


def _on_a_choice(error: ValidationError) -> Iterator[str]:
    schema: Any = error.schema
    choices: Any = error.validator_value
    near = nearest(error.instance, filter(None, choices)) if isinstance(error.instance, str) else ""
    if near:
        yield f" is {error.instance}: did you mean {near}?"
    elif others := schema.get("$comment"):
        yield f": {others}"


def _on_a_pattern(error: ValidationError) -> Iterator[str]:
    schema: Any = error.schema
    if about := _about(schema):
        yield f": {about}"
    if allowed := schema.get("$comment"):
        yield f": allowed is {allowed}"


def _on_a_missing_key(error: ValidationError) -> Iterator[str]:
    schema: Any = error.schema
    missing = missing_property(error)
    key = f".{missing}" if error.absolute_path else missing
    if _has_a_default(error):
        yield f"{key} was removed by a null: leave it out to keep its default"
    elif about := _about(schema["properties"].get(missing, {})):
        yield f"{key}: {about}"


def _has_a_default(error: ValidationError) -> bool:
    """Whether the missing key is one of values.yaml, which can only be missing where a null has removed it."""
    if any(isinstance(part, int) for part in error.absolute_path):
        # An item of a list has no defaults.
        return False
    schema: Any = error.schema
    optional = set(schema["properties"]) - set(schema["required"])
    # Pieces of Kubernetes' own objects have no descriptions here.
    return optional <= _OF_A_PARENT and "description" in schema["properties"][missing_property(error)]


def _about(schema: dict[str, Any]) -> str:
    """The first line of a key's description."""
    return str(schema.get("description", "")).partition("\n")[0]


def _on_a_type(error: ValidationError) -> Iterator[str]:
    limit: Any = error.validator_value
    wanted = limit if go.is_list(limit) else [limit]
    if written := _as_scalar(error, wanted) or _as_collection(error, wanted):
        yield f": {written}"
    elif "string" in wanted:
        yield from _on_a_pattern(error)


def _as_scalar(error: ValidationError, wanted: list[str]) -> str:
    """How YAML takes the same value for one of the right type: most such faults are quotes, missing or too many."""
    value: Any = error.instance
    if value is None:
        return "null is no value here: leave the key out"
    if "string" in wanted and isinstance(value, (bool, int, float)) and _is_valid(go.json_text(value), error):
        kind = "" if isinstance(value, bool) else "the number "
        return f"write it in quotes, or by --set-string: without them it is {kind}{go.json_text(value)}"
    if isinstance(value, str) and any(_is_of_type(yaml_io.resolve(value), name) for name in wanted):
        return f"write it without quotes: {value}"
    return ""


def _as_collection(error: ValidationError, wanted: list[str]) -> str:
    value: Any = error.instance
    schema: Any = error.schema
    if "array" in wanted and go.is_map(value):
        return "write a list of such maps, each behind a dash"
    if "array" in wanted:
        return f"write a list, as in [{go.json_text(value)}]" if _is_valid([value], error) else "write a list"
    if "object" in wanted:
        known = ", ".join(schema.get("properties", {}))
        return f"write a map, with keys of {known}" if known else "write a map, as in {KEY: VALUE}"
    return ""


def _is_valid(value: Any, error: ValidationError) -> bool:
    schema: Any = error.schema
    return Validator(schema).is_valid(value)


def _is_of_type(value: Any, name: str) -> bool:
    return name != "null" and Validator.TYPE_CHECKER.is_type(value, name)
