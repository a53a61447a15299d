"""Invalid values of every kind, for every key: refused by helm and by Python in the same words, the key named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chart_values import SCHEMA, schema_leaves
from command_line import rlinf_eks
from rlinf_constructs.helm import HelmChart, Release, ValuesError, merge, yaml_io
from tests_support import faults, helm_template

_OWN_KEY = "own-key"


def _nested(key: str, value: Any) -> dict[str, Any]:
    tree = value
    for part in reversed(key.split(".")):
        tree = {_OWN_KEY if part == "*" else part: tree}
    return tree


def _wrong(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values that a key cannot have, by the kind of what is wrong with them."""
    kind = schema.get("type", "string")
    others = {"string": 1, "integer": "x", "boolean": "yes", "array": "x", "object": "x"}
    # Neither a number nor a text where either may stand.
    yield "type", others.get(kind, []) if isinstance(kind, str) and "anyOf" not in schema else []
    if "enum" in schema:
        yield "choice", "no-such-choice"
    if "minimum" in schema:
        yield "range", schema["minimum"] - 1
    if "maximum" in schema and schema.get("type") == "integer":
        yield "range", schema["maximum"] + 1
    if schema.get("type") == "string" and "pattern" in schema:
        yield "pattern", "~ no such thing ~"


def _sections(schema: dict[str, Any], key: str = "") -> Iterator[str]:
    """Every group of keys that allows no others."""
    if schema.get("properties") and schema.get("additionalProperties") is False:
        yield key
    for name, value in schema.get("properties", {}).items():
        yield from _sections(value, f"{key}.{name}".lstrip("."))


INVALID = [
    *((kind, key, value) for key, leaf in schema_leaves("native") for kind, value in _wrong(leaf)),
    *(("unknown", f"{section}.noSuchKey".lstrip("."), 1) for section in _sections(SCHEMA)),
]
KINDS = sorted({kind for kind, _, _ in INVALID})


def _refusal(chart: HelmChart, values: dict[str, Any]) -> ValuesError:
    with pytest.raises(ValuesError) as refusal:
        chart.check(chart.environment(values, Release(name="rel")))
    return refusal.value


@pytest.mark.parametrize("kind", KINDS)
def test_each_invalid_value_is_refused_with_its_key(kind: str, chart: HelmChart) -> None:
    """One at a time, by what both the chart's rendering and `rlinf-eks validate` ask."""
    for _, key, value in (it for it in INVALID if it[0] == kind):
        message = str(_refusal(chart, _nested(key, value)))
        section, _, name = key.replace("*", _OWN_KEY).rpartition(".")
        place = f"/{section.replace('.', '/')}".rstrip("/")
        assert f"'{place}/{name}'" in message or (f"'{place}'" in message and name in message), (key, value, message)


@pytest.mark.parametrize("kind", KINDS)
def test_helm_and_validate_refuse_them_in_the_same_words(
    kind: str, chart: HelmChart, written_chart: Path, tmp_path: Path
) -> None:
    """All of a kind in one file: both name each, and validate its place."""
    values: dict[str, Any] = {}
    for _, key, value in (it for it in INVALID if it[0] == kind):
        values = merge.overlay(values, _nested(key, value))
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")

    by_helm = helm_template(written_chart, file)
    told = json.loads(rlinf_eks("validate", "-f", file, "--json").stdout)["faults"]

    assert by_helm.returncode != 0
    assert faults(by_helm.stderr) == faults("\n".join(_refusal(chart, values).sentences))
    # Helm stops here; validate goes on to the rules that read nothing of this.
    of_the_schema = [fault for fault in told if fault["check"] == "schema"]
    assert faults(by_helm.stderr) == faults("\n".join(fault["message"] for fault in of_the_schema))
    assert all(fault["places"] == [str(file)] and fault["keys"] for fault in of_the_schema)


def test_there_are_hundreds_of_them() -> None:
    """A schema that lost its ranges and patterns would shrink the list."""
    assert len(INVALID) >= 200
    assert {"choice", "pattern", "range", "type", "unknown"} <= set(KINDS)
