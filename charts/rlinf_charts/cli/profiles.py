"""`rlinf-eks profiles`: the table of instances."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from rlinf_charts.cli.options import json_option
from rlinf_charts.instances import instances


@click.command("profiles")
@json_option
def command(*, as_json: bool) -> None:
    """List the AWS instance types that the chart knows, and what pods can have of one node."""
    if as_json:
        click.echo(json.dumps({name: it.model_dump(by_alias=True) for name, it in instances().items()}, indent=2))
        return
    # Not cut to the width of a pipe: a program of lines may read it.
    console = Console(width=None if Console().is_terminal else 120)
    console.print(_table())


def _table() -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("TYPE")
    for heading in ("GPUS", "GPU MEMORY", "CPU", "MEMORY", "EFA", "2 MIB PAGES"):
        table.add_column(heading, justify="right")
    for name, it in instances().items():
        table.add_row(
            name,
            f"{it.gpus} {it.gpu}",
            f"{it.gpu_memory_gib} GiB",
            f"{it.cpu_millis / 1000:g}",
            f"{it.memory_mib / 1024:.0f} GiB",
            str(it.efa or "-"),
            str(it.hugepages2_mi or "-"),
        )
    return table
