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
    _refuse_other_folders(output)
    chart = load_chart()
    chart.write(output)
    click.echo(f"wrote the chart {chart.name} {chart.metadata['version']} to {output}")


def _refuse_other_folders(output: Path) -> None:
    """The folder is emptied first, so it must be a chart, empty, or new."""
    if output.is_dir() and any(output.iterdir()) and not (output / "Chart.yaml").is_file():
        raise click.ClickException(f"--output {output} holds something else than a chart: name a new or empty folder")
