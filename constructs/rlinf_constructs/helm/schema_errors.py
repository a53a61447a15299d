"""What jsonschema finds, read as a fault of values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from rlinf_constructs.helm import go


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Patterns mean what they mean to Go."""
    del validator, schema
    if isinstance(instance, str) and not go.regex(pattern).search(instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


Validator = extend(Draft7Validator, {"pattern": _pattern})


def is_of_a_key(error: ValidationError) -> bool:
    """Whether a map has a key that it must not have."""
    return error.validator == "additionalProperties"


def prefix(error: ValidationError) -> str:
    """The dotted path of the map at fault, ready for a key behind it."""
    return "".join(f"{part}." for part in error.absolute_path)


def unknown_keys(error: ValidationError) -> list[str]:
    """The keys that a map must not have."""
    schema: Any = error.schema
    known = schema.get("properties", {})
    patterns = [go.regex(pattern) for pattern in schema.get("patternProperties", {})]
    instance: Any = error.instance
    return [key for key in instance if key not in known and not any(pattern.search(key) for pattern in patterns)]


def missing_property(error: ValidationError) -> str:
    """The key that a map must have."""
    match = re.match(r"'(.*)' is a required property", error.message)
    assert match is not None, error.message
    return match.group(1)
