"""What a user sees before they know anything."""

from __future__ import annotations

import os
import subprocess

import click
import pytest

from command_line import rlinf_eks
from rlinf_charts.cli import main

COMMANDS = [
    "validate",
    "render",
    "diff",
    "plan",
    "profiles",
    "local",
    "synth",
    "package",
    "sign",
    "publish",
    "versions",
]


def test_help_lists_all_commands_and_the_exit_codes() -> None:
    """In the order in which they are used: look, run, hand on."""
    shown = rlinf_eks("--help").stdout
    assert [line.split()[0] for line in shown.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()] == COMMANDS
    assert "Exit codes: 0 done, 1 refused or failed, 2 wrong usage." in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_explained(name: str) -> None:
    """None stands without words."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help
    assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []


def test_a_shell_completes_commands() -> None:
    """By Click's own completion, as the help says how to switch it on."""
    environ = {**os.environ, "_RLINF_EKS_COMPLETE": "bash_complete", "COMP_WORDS": "rlinf-eks p", "COMP_CWORD": "1"}
    done = subprocess.run(["rlinf-eks"], capture_output=True, text=True, check=False, env=environ, timeout=60)
    assert done.stdout.split() == ["plain,plan", "plain,profiles", "plain,package", "plain,publish"]
    assert "_RLINF_EKS_COMPLETE=bash_source rlinf-eks" in rlinf_eks("--help").stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["plan", "--instance", "p5e"], ["plain,p5e.48xlarge", "plain,p5en.48xlarge"]),
        (["validate", "--kubernetes", "1.32"], ["plain,1.32"]),
        (["validate", "-f", "values/h"], ["file,values/h"]),
        (["synth", "--output", "d"], ["dir,d"]),
    ],
    ids=lambda words: words[0],
)
def test_a_shell_completes_what_there_is_a_choice_of(words: list[str], completed: list[str]) -> None:
    """Types, versions, files and folders."""
    line = {"COMP_WORDS": " ".join(["rlinf-eks", *words]), "COMP_CWORD": str(len(words))}
    environ = {**os.environ, "_RLINF_EKS_COMPLETE": "bash_complete", **line}
    done = subprocess.run(["rlinf-eks"], capture_output=True, text=True, check=False, env=environ, timeout=60)
    assert done.stdout.split() == completed
