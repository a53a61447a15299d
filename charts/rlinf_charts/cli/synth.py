"""`rlinf-eks synth`: write the chart."""

from __future__ import annotations

from pathlib import Path

import click

from rlinf_charts.cli.options import load_chart


@click.command("synth")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("dist/chart"),
    show_default=True,
    help="Folder to write; what it holds is replaced.",
)
def command(output: Path) -> None:
    """Write the Helm chart as a folder."""
    chart = load_chart()
    try:
        chart.write(output)
    except FileExistsError as error:
        raise click.ClickException(f"--output {error}") from error
    click.echo(f"wrote the chart {chart.name} {chart.metadata['version']} to {output}")
