"""The package as it is carried and called: small, standard library only, under two names."""

import ast
import os
import shutil
import subprocess
import sys

import pytest

from tests_support import ROOT

BOOTSTRAP = ROOT / "runtime/rlinf_runtime/bootstrap"
MODULES = sorted(BOOTSTRAP.rglob("*.py"))
# Imported by the rollout of an engine, whose image has numpy and Pillow.
IMAGES = {BOOTSTRAP / "patches/image_operations.py", BOOTSTRAP / "patches/verl/images.py"}


def run(command, **environ):
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=30, env={**os.environ, **environ}
    )


def test_only_the_standard_library_is_imported():
    """The image's Python must do, whatever is installed in it; relative imports fit any package name."""
    for module in set(MODULES) - IMAGES:
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [] if node.level else [node.module]
            else:
                continue
            assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names, module


def test_it_fits_in_a_config_map():
    """A ConfigMap holds 1 MiB, and people must be able to read it."""
    assert sum(file.stat().st_size for file in (*MODULES, BOOTSTRAP / "launch.sh")) < 500_000


def test_the_engines_start_is_printed_without_running_it(lay_out, run_tree):
    """`launch.sh --print` needs no pod: it shows the whole start as commands for a shell, one override a line."""
    run_tree["engine"]["hydra"] = {"data": {"files": ["a b", "c"]}}
    shown = run(["sh", str(lay_out(run_tree) / "launch.sh"), "--print"])
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert lines[:2] == [f"cd {run_tree['folder']}", "python3 -u -m rlinf_runtime.trainer \\"]
    assert lines[2] == """  'data.files=['"'"'a b'"'"',c]' \\"""
    assert lines[-1] == "  trainer.project_name=rlinf"


def test_both_names_of_the_package_say_the_same(lay_out, run_tree):
    """As rlinf_runtime.bootstrap from an image, and flat as `launch` from the ConfigMap."""
    launch = lay_out(run_tree)
    flat = run(["sh", str(launch / "launch.sh"), "head", "--print"])
    config = ["--config", str(launch / "run.json")]
    packaged = run([sys.executable, "-m", "rlinf_runtime.bootstrap", "head", "--print", *config])
    assert flat.stdout == packaged.stdout != ""


def test_a_wrong_run_json_ends_with_the_config_code(lay_out, run_tree, tmp_path):
    """The sentence is in the log and in the termination log."""
    (tmp_path / "log").write_text("")
    refused = run(
        ["sh", str(lay_out(run_tree | {"nam": "x"}) / "launch.sh")], RLINF_TERMINATION_LOG=str(tmp_path / "log")
    )
    sentence = "run.json: nam is not a known key (did you mean name?)"
    assert refused.returncode == 10
    assert sentence in refused.stdout
    assert sentence in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("python", "found"),
    [("", "is none:"), ('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.8.20\n', "is Python 3.8.20:")],
    ids=["none", "too old"],
)
def test_an_image_without_its_python_says_so(python, found, lay_out, run_tree, tmp_path):
    """In the bootstrap's manner: in the log and in the termination log, with the exit code of the preflight."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in ("dirname", "basename"):
        (folder / program).symlink_to(shutil.which(program))
    if python:
        (folder / "python3").write_text(python)
        (folder / "python3").chmod(0o755)
    log = tmp_path / "log"
    log.write_text("")

    launch = str(lay_out(run_tree) / "launch.sh")
    refused = run(["/bin/sh", launch], PATH=str(folder), RLINF_TERMINATION_LOG=str(log))

    sentence = log.read_text()
    assert sentence.startswith("PREFLIGHT: the bootstrap needs Python 3.10 or newer")
    assert found in sentence
    assert refused.stdout == f"{sentence.removeprefix('PREFLIGHT: ').rstrip()} (exit code 11, PREFLIGHT)\n"
    assert (refused.returncode, refused.stderr) == (11, "")
