"""`rlinf-eks package`: the chart as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rlinf_charts.cli.variants import load_variant, variant_options


@click.command("package")
@variant_options
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    show_default="the current folder",
    help="Folder for NAME-VERSION.tgz.",
)
def command(output: Path, **variant: Any) -> None:
    """Pack the chart as NAME-VERSION.tgz, or a variant of it: the same input gives the same bytes.

    Values of -f and --set become the chart's defaults.

    \b
      rlinf-eks package -f team.yaml --chart-name team-rlinf --chart-version 1.4.0 --output packages
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    chart = load_variant(**variant)

    from rlinf_charts.packaging import PackageError, pack  # noqa: PLC0415 - starts Node

    try:
        packaged = pack(chart.texts(), output)
    except PackageError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"wrote {packaged.path} ({packaged.digest})")
