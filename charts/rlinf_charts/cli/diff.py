"""`rlinf-eks diff`: what a change of values does to the objects."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from rlinf_charts.cli.failures import in_one_sentence
from rlinf_charts.cli.options import ChartOptions, chart_options, json_option, read_values
from rlinf_charts.helm_client import HelmError

Command = TypeVar("Command", bound=Callable[..., Any])


def _trouble_is_2(command: Command) -> Command:
    """As in diff(1): 1 says that there are differences, so trouble needs another exit code."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        try:
            with in_one_sentence():
                return command(*arguments, **options)
        except click.ClickException as error:
            error.show()
            sys.exit(2)

    return run  # pyright: ignore[reportReturnType] - a decorator keeps the signature


@click.command("diff")
@chart_options
@click.option(
    "--against",
    "before_files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Values file of the other side; repeatable, the last one wins. Default: the chart's defaults.",
)
@click.option("--live", is_flag=True, help="Compare with the release that is installed, by `helm get`.")
@json_option
@_trouble_is_2
def command(
    options: ChartOptions,
    before_files: tuple[Path, ...],
    *,
    live: bool,
    as_json: bool,
) -> None:
    """Show what the values given by -f and --set change, by object and field.

    \b
      rlinf-eks diff -f mine.yaml                          against the chart's defaults
      rlinf-eks diff -f mine.yaml --against theirs.yaml    against other values
      rlinf-eks diff -f mine.yaml --live --name rlinf      against an installed release

    In a terminal fields are coloured; elsewhere a unified diff of YAML is printed. Values of Secrets are masked.

    Exit codes, as of diff(1): 0 no difference, 1 differences, 2 trouble.
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    if live and before_files:
        raise click.UsageError("--live and --against both name the other side: leave one out")
    after_values, before_values = options.values(), read_values(before_files)
    chart = options.chart()

    from rlinf_charts import comparison  # noqa: PLC0415 - starts Node

    try:
        release = options.release()
        before = (
            comparison.release_objects(release) if live else comparison.objects_of(chart, before_values, release, {})
        )
        after = comparison.objects_of(chart, after_values, release, comparison.secrets_in(before))
    except (ValueError, HelmError) as error:
        raise click.ClickException(str(error)) from error
    changes = comparison.compare(before, after)
    if as_json:
        click.echo(json.dumps(comparison.as_json(changes), indent=2))
    elif sys.stdout.isatty():
        comparison.print_changes(changes, Console())
    else:
        click.echo(comparison.as_unified_text(changes), nl=False)
    sys.exit(1 if changes else 0)
