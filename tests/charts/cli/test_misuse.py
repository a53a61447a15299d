"""Each command used wrongly: one sentence, the exit code of the documentation, no traceback."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from command_line import rlinf_eks

TEAM = """\
def misspelt(objects, values):
    values.nodes.cuont

def fails(objects, values):
    raise KeyError("x")

def takes_nothing():
    pass
"""


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("raises:x", "--app raises:x: line 1: RuntimeError: boom"),
        ("no_python:x", "--app no_python:x: SyntaxError: "),
        ("team_of_misuse:misspelt", "line 2: AttributeError: the values have no 'nodes.cuont'; did you mean 'count'?"),
        ("team_of_misuse:fails", "--app team_of_misuse:fails: line 5: KeyError: 'x'"),
        ("team_of_misuse:takes_nothing", "TypeError: takes_nothing() takes 0 positional arguments but 2 were given"),
    ],
)
def test_a_teams_code_that_fails(
    reference: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error, with the line of the team's module."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"raises": 'raise RuntimeError("boom")', "no_python": "def (", "team_of_misuse": TEAM}.items():
        (tmp_path / f"{name}.py").write_text(text)
    done = rlinf_eks("render", "--app", reference)
    assert done.exit_code == 1
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("reference", ["../team:x", ".team:x", "team", ":x", "team:", "team:x:y"])
def test_what_names_no_code(reference: str) -> None:
    """Wrong usage."""
    done = rlinf_eks("render", "--app", reference)
    assert done.exit_code == 2
    assert f"{reference}: write MODULE:NAME, as in team_chart:TeamChart" in done.stderr


@pytest.mark.parametrize("command", ["synth", "package"])
def test_a_folder_that_cannot_be_made(command: str, tmp_path: Path) -> None:
    """Named, with the system's reason."""
    (tmp_path / "file").touch()
    done = rlinf_eks(command, "--output", tmp_path / "file" / "folder")
    assert (done.exit_code, done.stderr) == (1, f"Error: {tmp_path}/file/folder: Not a directory\n")


def test_a_command_that_does_not_exist() -> None:
    """The near one is named."""
    done = rlinf_eks("vaildate")
    assert done.exit_code == 2
    assert "No such command 'vaildate'; did you mean validate?" in done.stderr


@pytest.mark.parametrize("namespace", ["Robots", "a b", "", "a.b"])
def test_a_namespace_that_kubernetes_refuses(namespace: str) -> None:
    """Before anything is rendered for it."""
    done = rlinf_eks("render", "--namespace", namespace)
    assert done.exit_code == 1
    assert f"namespace '{namespace}': Kubernetes allows lower-case letters, digits and '-'" in done.stderr


def archive(chart_yaml: str) -> bytes:
    """A .tgz with this Chart.yaml."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as file:
        entry = tarfile.TarInfo("x/Chart.yaml")
        entry.size = len(chart_yaml)
        file.addfile(entry, io.BytesIO(chart_yaml.encode()))
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty file"),
        (b"hello", "not a gzip file"),
        (archive("[a\n"), "line 2, column 1: not valid YAML: "),
        (archive("- a\n"), "its Chart.yaml has no name and semantic version"),
        (archive("name: x\n"), "its Chart.yaml has no name and semantic version"),
        (archive("{name: x, version: '1'}\n"), "its Chart.yaml has no name and semantic version"),
        (archive("{name: x, version: 1.0.0}\n")[:-40], ""),
    ],
    ids=["empty", "text", "no YAML", "list", "no version", "no semantic version", "cut short"],
)
def test_a_file_that_is_no_package(content: bytes, sentence: str, tmp_path: Path) -> None:
    """Refused before a registry or GnuPG is asked."""
    file = tmp_path / "x-1.0.0.tgz"
    file.write_bytes(content)
    for command in (["sign", file, "--key", "nobody"], ["publish", file, "oci://127.0.0.1:1/charts"]):
        done = rlinf_eks(*command)
        assert done.exit_code == 1
        assert f"{file}: not a packed chart: {sentence}" in done.stderr


@pytest.mark.parametrize("host", ["127.0.0.1:port", "a b", "user@host"])
def test_a_host_that_is_none(host: str) -> None:
    """As a reference of another form."""
    done = rlinf_eks("versions", f"oci://{host}/charts/x")
    assert done.exit_code == 1
    assert "write oci://HOST/PATH" in done.stderr


@pytest.mark.parametrize(("command", "code"), [("render", 1), ("validate", 1), ("profiles", 1), ("diff", 2)])
def test_a_full_disk(command: str, code: int) -> None:
    """Named like any other fault of a file."""
    options = ["--set", "nodes.count=2"] if command == "diff" else []
    program = [sys.executable, "-c", "from rlinf_charts.cli import main; main()", command, *options]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (code, "Error: the output: No space left on device\n")


@pytest.mark.parametrize("command", ["render", "validate", "plan", "diff"])
@pytest.mark.parametrize("key", ["extraVolumes" + "[0].a" * 3000, "extraVolumes" + "[0]" * 3000])
def test_values_beyond_any_depth(command: str, key: str) -> None:
    """One sentence, not Python's."""
    done = rlinf_eks(command, "--set", f"{key}=1")
    assert done.exit_code == (2 if command == "diff" else 1)
    assert done.stderr == "Error: the values are nested too deeply\n"
