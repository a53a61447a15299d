"""The command line `rlinf-eks`, one module a command."""

from __future__ import annotations

import importlib

import click

from rlinf_charts.version import VERSION
from rlinf_constructs.node import use_packaged_node

_COMMANDS = ("synth", "render", "local")


class _LazyGroup(click.Group):
    """Imports a command's module when it runs: `--help` need not start Node."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what is not installed is named with the extra that brings it."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            raise click.ClickException(f"{error.name} is missing: pip install 'rlinf-eks[chart]'") from error

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
    # Before any command imports cdk8s.
    use_packaged_node()
