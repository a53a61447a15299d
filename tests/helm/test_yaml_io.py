"""YAML is read as Helm reads it and written so that any parser reads it alike."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given

from generated_values import JSON, TEXT
from rlinf_constructs.helm import yaml_io

AWKWARD_SCALARS = [
    "1e3",
    "no",
    "y",
    "on",
    "1:30",
    "2001-01-01",
    "0o17",
    "017",
    "08",
    "1_000",
    "0b11",
    "0x10",
    "+12",
    ".5",
]
AWKWARD_SCALARS += [
    "1.",
    "-0",
    "0.1e-3",
    "=",
    "~",
    "1e400x",
    "!!str 5",
    '"no"',
    "-0b11",
    "12e03",
    "2001-12-14t21:59:43.10-05:00",
]


def test_plain_scalars_resolve_as_in_helm(tmp_path: Path) -> None:
    """The loader and helm agree on every scalar whose type YAML's versions dispute."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("{apiVersion: v2, name: probe, version: 0.1.0}\n")
    (tmp_path / "templates" / "values.json").write_text("{{ .Values | toRawJson }}\n")
    text = "".join(f"k{number}: {scalar}\n" for number, scalar in enumerate(AWKWARD_SCALARS))
    (tmp_path / "values.yaml").write_text(text)

    printed = subprocess.run(["helm", "template", "r", tmp_path], capture_output=True, text=True, check=True).stdout
    by_helm = yaml_io.load(printed.split("values.json\n", 1)[1])

    ours = {key: value for key, value in yaml_io.load(text).items() if value is not None}
    assert ours == by_helm


@given(JSON)
def test_what_is_written_is_read_back(value: object) -> None:
    """A document survives its way through YAML."""
    assert yaml_io.load(yaml_io.dump({"value": value})) == {"value": value}


@given(TEXT)
def test_other_parsers_read_our_strings_as_strings(text: str) -> None:
    """PyYAML, with YAML 1.1's own ideas, sees the same string."""
    assert yaml.safe_load(yaml_io.dump({"value": text})) == {"value": text}


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a: 1\na: 2\n", "line 2: key 'a' is already set in this map: remove one of the two"),
        ("a: .inf\n", ".inf is not a number that JSON can express: quote it if it is a text"),
        ("a: [1\n", "line 2, column 1: not valid YAML: expected ',' or ']', but got '<stream end>'"),
        (
            "a: !!binary aGk=\n",
            "line 1: values are texts, numbers, lists and maps; there is no !!binary",
        ),
        ("1.5: a\n", "line 1: 1.5 cannot be a key: quote it if it is a text"),
        ("~: 1\n", "line 1: null cannot be a key: quote it if it is a text"),
        ("a: {{ x }}\n", "line 1: a map cannot be a key; quote braces, which no template fills in here"),
        ("a: !mine 5\n", "line 1: values are texts, numbers, lists and maps; there is no !mine"),
        ("a:\n  <<: 5\n", "line 2: << merges a map or a list of maps"),
        ('a: "\\ud83e"\n', "line 1: an escape of half a character: write the character itself"),
        ("b: 1\na: \0\n", "line 2: not valid YAML: the character U+0000 has no place in it"),
        ("%YAML 1.2\n---\na: 1\n", "line 1: Helm 4 reads no lines that begin with %: remove it"),
        (
            "a:\n\tb: 1\n",
            "line 2, column 1: not valid YAML: found character '\\t' that cannot start any token; indent by spaces",
        ),
        (
            "a: 1\n---\nb: 2\n",
            "holds 2 documents, where one is expected, since versions of Helm differ in which they read",
        ),
    ],
)
def test_faulty_yaml_is_refused_with_its_place(text: str, refusal: str) -> None:
    """The error says where and what."""
    with pytest.raises(yaml_io.YamlError) as caught:
        yaml_io.load(text)
    assert str(caught.value) == refusal


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error names the file and the system's reason."""
    with pytest.raises(yaml_io.YamlError, match=r"none\.yaml: cannot be read: No such file or directory"):
        yaml_io.load_file(tmp_path / "none.yaml")


FILES = {
    "windows line ends": "a: 1\r\nb:\r\n  c: x\r\n",
    "byte order mark": "\ufeffa: 1\n",
    "tabs between": "a:\t1\nb: 2\t\n",
    "JSON with tabs": '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [1,\t2]\n\t}\n}\n',
    "tab as indentation": "a:\n\tb: 1\n",
    "a key before what is merged": "base: &b {x: 1}\nc: {x: 2, <<: *b}\n",
    "a key behind what is merged": "base: &b {x: 1}\nc: {<<: *b, x: 2}\n",
    "two merged": "b1: &b1 {x: 1}\nb2: &b2 {x: 2, y: 2}\nc: {<<: [*b1, *b2]}\nd: {<<: *b1, <<: *b2}\n",
    "merged in merged": "b1: &b1 {x: 1}\nb2: &b2 {<<: *b1, y: 2}\nc: {<<: *b2}\n",
    "merge of a number": "c: {<<: 5}\n",
    "quoted merge": 'b: &b {x: 1}\nc: {"<<": *b}\n',
    "unknown anchor": "a: *b\n",
    "anchor in itself": "a: &a {b: *a}\n",
    "leading and trailing marks": "---\na: 1\n---\n# nothing\n",
    "end mark": "a: 1\n...\n",
    "windows path in quotes": 'a: "C:\\data"\n',
    "windows path": "a: C:\\data\n",
    "escapes": 'a: "\\x41\\u00e9\\n"\n',
    "escaped slash": 'a: "\\/"\n',
    "surrogates": 'a: "\\ud83e\\udd16"\n',
    "control character": 'a: "\x01"\n',
    "directive": "%YAML 1.2\n---\na: 1\n",
    "template": "a: {{ .Values.b }}\n",
    "blocks": "a: |\n  x\n  y\nb: >-\n  p\n  q\n",
    "comment behind": "a: x#y\nb: x #y\n",
    "keys of other types": "yes: 1\n0x10: b\n1.0: c\n",
    "no key": "~: 1\n",
    "list": "- a\n",
    "text": "hello\n",
    "nothing": "# nothing\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_as_helm_reads_them(name: str, tmp_path: Path) -> None:
    """To the same values, or both refuse."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("{apiVersion: v2, name: probe, version: 0.1.0}\n")
    (tmp_path / "templates" / "values.json").write_text("{{ .Values | toRawJson }}\n")
    file = tmp_path / "mine.yaml"
    file.write_bytes(FILES[name].encode())

    command = ["helm", "template", "r", tmp_path, "--values", file]
    by_helm = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    try:
        ours = yaml_io.load_file(file)
    except yaml_io.YamlError:
        ours = "refused"

    if by_helm.returncode == 0:
        assert (ours or {}) == yaml_io.load(by_helm.stdout.split("values.json\n", 1)[1])
    else:
        assert not isinstance(ours, dict), by_helm.stderr


def test_merge_keys_and_anchors_are_resolved() -> None:
    """`<<` merges, as in helm."""
    text = "base: &base {a: 1, b: 2}\nmore: {<<: *base, b: 3}\n"
    assert yaml_io.load(text) == {"base": {"a": 1, "b": 2}, "more": {"a": 1, "b": 3}}
