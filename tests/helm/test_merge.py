"""Values are merged and set as real helm does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from rlinf_constructs.helm import merge, yaml_io


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chart that prints the values it sees."""
    folder = tmp_path_factory.mktemp("probe")
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: probe, version: 0.1.0}\n")
    (folder / "templates" / "values.json").write_text("{{ .Values | toRawJson }}\n")
    return folder


def values_seen_by_helm(probe: Path, *options: str) -> Any:
    """What a template sees."""
    done = subprocess.run(["helm", "template", "r", probe, *options], capture_output=True, text=True, check=True)
    return yaml_io.load(done.stdout.split("values.json\n", 1)[1])


@pytest.mark.parametrize(
    "assignments",
    [
        "a=1,b=-2,c=007,d=1.5,e=1e3",
        "a=true,b=False,c=NULLx,d=-0",
        "a.b.c=x,a.b.d=y",
        r"a\.b=c\,d,e=f\\g",
        "a={1,two,true},b={},c={a b,c}",
        "a=,b= x ",
        "a=x=y",
        "a=1,",
        "a=no,b=~,c='q'",
    ],
)
def test_set_reads_as_helm_does(assignments: str, probe: Path) -> None:
    """Types, escapes and lists in braces."""
    assert merge.set_values({}, assignments) == values_seen_by_helm(probe, "--set", assignments)


@pytest.mark.parametrize("assignment", ["a=1", "a.b=true", r"a=x\,y"])
def test_set_string_reads_as_helm_does(assignment: str, probe: Path) -> None:
    """Everything is a text."""
    assert merge.set_string({}, assignment) == values_seen_by_helm(probe, "--set-string", assignment)


def test_null_removes_a_default() -> None:
    """As in helm, also in a nested map."""
    assert merge.with_defaults({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}) == {"a": {"c": 2}}
