"""`rlinf-eks synth`: write the chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rlinf_charts.cli.variants import load_variant, variant_options


@click.command("synth")
@variant_options
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("dist/chart"),
    show_default=True,
    help="Folder to write; what it holds is replaced.",
)
def command(output: Path, **variant: Any) -> None:
    """Write the Helm chart as a folder, or a variant of it.

    Values of -f and --set become the chart's defaults.

    \b
      rlinf-eks synth -f team.yaml --chart-name team-rlinf --app team_chart:TeamChart --output chart
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    chart = load_variant(**variant)
    try:
        chart.write(output)
    except FileExistsError as error:
        raise click.ClickException(f"--output {error}") from error
    click.echo(f"wrote the chart {chart.name} {chart.metadata['version']} to {output}")
