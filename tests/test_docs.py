"""What the documents name exists: files, tests, commands, values."""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from rlinf_charts.cli import main
from tests_support import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

# A document on a package names files from there on.
_FOLDERS = [ROOT, ROOT / "charts/rlinf_charts", ROOT / "constructs/rlinf_constructs", ROOT / "runtime/rlinf_runtime"]
_PATH = re.compile(
    r"(?<![\w./:-])(?:\./)?((?:charts|constructs|dist|docs|requirements|runtime|tests|tools|values|\.ci)/[\w./-]*\w)"
    r"(?:::(\w+))?"
)
# Tests of patches, which docs/discoveries.md names without their folder.
_PATCHES = ROOT / "tests/bootstrap/patches"
_BARE_TEST = re.compile(r"`(test_\w+\.py)`")
# The column that says by which test a row is true.
_PROOFS = {"docs/discoveries.md": "test", "docs/validation.md": "proved by"}
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
# Values are in camelCase; keys with underscores are run.json's, or the engine's below training.hydra.
_KEY = re.compile(r"(?:`|--set )(training\.hydra(?:\.\w+)+|[a-z][A-Za-z0-9]*(?:\.(?!py\b)[A-Za-z0-9]+)+)(?=[`=])")


@pytest.fixture(params=DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def document(request: pytest.FixtureRequest) -> Path:
    """Each document."""
    return request.param


@pytest.fixture
def text(document: Path) -> str:
    """The document's text."""
    return document.read_text(encoding="utf-8")


def test_files_and_tests_exist(text: str) -> None:
    """Paths, and tests as FILE::NAME."""
    named = {(match[0], match[1], match[2]) for match in _PATH.finditer(text)}
    assert [shown for shown, path, test in named if not any(_has(folder / path, test) for folder in _FOLDERS)] == []


def test_tests_of_patches_exist() -> None:
    """Each file is named in short there."""
    text = (ROOT / "docs/discoveries.md").read_text(encoding="utf-8")
    assert [name for name in _BARE_TEST.findall(text) if not (_PATCHES / name).exists()] == []


@pytest.mark.parametrize("name", _PROOFS)
def test_every_row_names_a_test_or_says_why_there_is_none(name: str) -> None:
    """In the tables that have a column for it."""
    rows = list(_rows((ROOT / name).read_text(encoding="utf-8"), _PROOFS[name]))
    assert rows
    assert [row for row, proof in rows if not re.search(r"test_\w+\.py|^none: ", proof)] == []


def test_links_lead_to_files(document: Path, text: str) -> None:
    """Links within the repository are relative to the document."""
    assert [link for link in _LINK.findall(text) if not (document.parent / link).exists()] == []


def test_targets_of_make_exist(text: str) -> None:
    """At the beginning of a line or of code."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z0-9-]+):", makefile, flags=re.MULTILINE)
    assert set(re.findall(r"(?:^|`)make ([a-z][a-z0-9-]*)", text, flags=re.MULTILINE)) <= set(targets)


def test_commands_exist(text: str) -> None:
    """Likewise the commands of rlinf-eks."""
    commands = main.list_commands(click.Context(main))
    assert set(re.findall(r"(?:^|`)rlinf-eks ([a-z]+)", text, flags=re.MULTILINE)) <= set(commands)


def test_values_exist(text: str) -> None:
    """Keys of the chart's values, in backticks and after --set."""
    schema = json.loads((ROOT / "dist" / "chart" / "values.schema.json").read_text(encoding="utf-8"))
    ours = [key for key in _KEY.findall(text) if key.split(".")[0] in schema["properties"]]
    assert [key for key in ours if not _is_key(key.split("."), schema)] == []


def _rows(text: str, column: str) -> Iterator[tuple[str, str]]:
    """Each row of the tables with a column, and what stands in that."""
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells or not header:
            header = cells
        elif column in header and not set(line) <= set("|- "):
            assert len(cells) == len(header), line
            yield line, cells[header.index(column)]


def _has(path: Path, test: str) -> bool:
    return path.exists() and (not test or test in _functions(path))


@functools.cache
def _functions(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def _is_key(key: list[str], schema: dict[str, Any]) -> bool:
    """Whether the schema knows it; where a map has keys of the user's choice, any that it takes."""
    if not key:
        return True
    others = schema.get("additionalProperties", schema["type"] == "object")
    named = schema.get("properties", {}).get(key[0])
    below = [named] if named else schema.get("patternProperties", {"": others}).values()
    return any(it is True or (isinstance(it, dict) and _is_key(key[1:], it)) for it in below)
