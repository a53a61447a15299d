"""Options of the commands that make a variant of the chart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rlinf_charts.cli.options import Command, app_option, load_chart, read_values, values_options

if TYPE_CHECKING:
    from rlinf_constructs.helm import HelmChart


def variant_options(command: Command) -> Command:
    """Values as new defaults, name, version, and a team's own constructs; see `load_variant`."""
    for option in (
        app_option,
        click.option("--chart-version", metavar="VERSION", help="Version of the chart. Default: the toolkit's."),
        click.option("--chart-name", metavar="NAME", help="Name of the chart. Default: rlinf."),
        values_options,
    ):
        command = option(command)
    return command


def load_variant(
    *,
    files: tuple[Path, ...],
    assignments: tuple[str, ...],
    texts: tuple[str, ...],
    chart_name: str | None,
    chart_version: str | None,
    app: str | None,
) -> HelmChart:
    """The variant that the options describe.

    Raises:
        click.ClickException: when the chart itself would not take the new defaults.
    """
    defaults = read_values(files, assignments, texts)
    if defaults:
        _check(load_chart(app), defaults)
    given = {"name": chart_name, "version": chart_version, "defaults": defaults}
    return load_chart(app, **{key: value for key, value in given.items() if value})


def _check(chart: HelmChart, defaults: dict[str, Any]) -> None:
    from rlinf_constructs.helm import Release, ValuesError  # noqa: PLC0415 - starts Node

    try:
        chart.check(chart.environment(defaults, Release(name="rlinf")))
    except ValuesError as error:
        raise click.ClickException(f"these cannot be the chart's defaults: {error}") from error
