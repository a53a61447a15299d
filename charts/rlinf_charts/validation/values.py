"""Values held against schema and rules; each fault names the file that gave the value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rlinf_charts.validation.faults import Fault, Given
from rlinf_charts.validation.origin import Path, values_key
from rlinf_constructs.helm import Environment, HelmChart, doubt, validate

_DEFAULTS = "the chart's defaults"
# With a dot, or in camel case: other words may be plain English.
_KEY = re.compile(r"[A-Za-z]\w*(?:\.\w+)+|[a-z]+[A-Z]\w*")


def values_faults(chart: HelmChart, environment: Environment, sources: Sequence[Given]) -> list[Fault]:
    """What schema and rules have against the values.

    Beside faults of the schema, only those rules are asked that read nothing of what is at fault.

    Args:
        chart: whose values they are.
        environment: with the values of all sources over the defaults.
        sources: the values as they were given, the last one winning.
    """
    refused = validate.schema_faults(dict(environment.values), chart.schema())
    broken = doubt.check_beside(_doubtful(refused, sources), chart.rules, environment)
    return [
        *(_schema_fault(fault, sources) for fault in refused),
        *(_rule_fault(sentence, chart.schema(), sources) for sentence in broken),
    ]


def _doubtful(refused: Sequence[validate.Fault], sources: Sequence[Given]) -> Iterator[Path]:
    """What is at fault, and what may have been meant by it: who misspells a key has not set the right one."""
    for fault in refused:
        yield from fault.paths
        yield from (path for path in fault.meant if not _is_given(path, sources) or path == fault.paths[0][:-1])


def _schema_fault(fault: validate.Fault, sources: Sequence[Given]) -> Fault:
    return Fault(
        check="schema",
        places=_places(tuple(_given(key, sources) for key in fault.keys), sources),
        keys=fault.keys,
        message=fault.sentence,
        hints=fault.hints,
    )


def with_origin(fault: Fault, item: Mapping[str, Any], values: Mapping[str, Any], sources: Sequence[Given]) -> Fault:
    """A fault of a rendered object, with the values key that it came from as far as can be told."""
    key = values_key(values, item, fault.path)
    if not key:
        return fault
    return replace(fault, hints=(*fault.hints, f"it comes from {key} ({', '.join(_places((key,), sources))})"))


def _rule_fault(sentence: str, schema: dict[str, Any], sources: Sequence[Given]) -> Fault:
    """A rule's sentence names its keys; host names and others of its examples may look like keys."""
    keys = tuple(dict.fromkeys(key for key in _KEY.findall(sentence) if _may_be_a_key(key.split("."), schema)))
    return Fault(check="rule", places=_places(keys, sources), keys=keys, message=sentence)


def _may_be_a_key(path: Sequence[str], schema: dict[str, Any]) -> bool:
    """Whether the values may have a key of this path: below what is not described, any."""
    if not path:
        return True
    properties = schema.get("properties", {})
    if path[0] in properties:
        return _may_be_a_key(path[1:], properties[path[0]])
    # Lists, and maps whose keys are the user's or the engine's.
    is_open = not properties or schema.get("additionalProperties") is True
    return is_open and schema.get("type") in ("array", "object")


def _given(key: str, sources: Sequence[Given]) -> str:
    """The key, or where none of the sources has it, what it is missing in."""
    return key if any(_has(it.values, key) for it in sources) else key.rpartition(".")[0]


def _is_given(path: Path, sources: Sequence[Given]) -> bool:
    return any(_has(it.values, ".".join(map(str, path))) for it in sources)


def _places(keys: tuple[str, ...], sources: Sequence[Given]) -> tuple[str, ...]:
    """For each key the last source that has it, else the defaults."""
    found = [next((it.name for it in reversed(sources) if _has(it.values, key)), _DEFAULTS) for key in keys]
    given = [place for place in found if place != _DEFAULTS]
    # Where a user's value clashes with a default, it is the user's that they can change.
    return tuple(dict.fromkeys(given or found))


def _has(values: Any, key: str) -> bool:
    """Whether the values reach as far as this dotted key."""
    return not key or any(_has(value, rest) for value, rest in _steps(values, key))


def _steps(values: Any, key: str) -> Iterator[tuple[Any, str]]:
    """What lies below each first part of the key; keys may hold dots themselves."""
    if isinstance(values, list):
        head, _, rest = key.partition(".")
        if head.isdigit() and int(head) < len(values):
            yield values[int(head)], rest
    elif isinstance(values, dict):
        for name, value in values.items():
            if key == name or key.startswith(f"{name}."):
                yield value, key[len(name) + 1 :]
