"""The command line `rlinf-eks`, one module a command."""

from __future__ import annotations

import importlib

import click

from rlinf_charts.version import VERSION

_COMMANDS = ("synth", "render", "local")


class _LazyGroup(click.Group):
    """Imports a command's module when it runs: `--help` need not start Node."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        return importlib.import_module(f"rlinf_charts.cli.{cmd_name}").command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="rlinf-eks")
def main() -> None:
    """Reinforcement-learning training of vision-language-action policies on Kubernetes."""
