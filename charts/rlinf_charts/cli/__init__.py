"""The command line `rlinf-eks`, one module a command.

Exit codes of all commands: 0 done, 1 refused or failed with a sentence that says why, 2 wrong usage. `diff` has its
own, those of diff(1): 0 no difference, 1 differences, 2 trouble.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Any

import click

from rlinf_charts.cli.failures import in_one_sentence
from rlinf_charts.version import VERSION
from rlinf_constructs.node import use_packaged_node

_COMMANDS = (
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
)
_EPILOG = """\b
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.
Completion: eval "$(_RLINF_EKS_COMPLETE=bash_source rlinf-eks)"; zsh_source and fish_source likewise.
"""


class _LazyGroup(click.Group):
    """Imports a command's module when it runs: `--help` need not start Node."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with in_one_sentence():
            return super().invoke(ctx)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find the command; for one that does not exist, name the near one."""
        near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
        if args[0] not in _COMMANDS and near:
            ctx.fail(f"No such command {args[0]!r}; did you mean {near[0]}?")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        return importlib.import_module(f"rlinf_charts.cli.{cmd_name}").command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(VERSION, prog_name="rlinf-eks")
def main() -> None:
    """Reinforcement-learning training of vision-language-action policies on Kubernetes."""
    # Before any command imports cdk8s.
    use_packaged_node()
