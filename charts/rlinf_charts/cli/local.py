"""`rlinf-eks local`: run the chart's pods as processes of this machine."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from rlinf_charts.cli.options import ChartOptions, chart_options
from rlinf_charts.local import free_ports, run_locally


@click.command("local")
@chart_options
@click.option(
    "--run-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs/local"),
    show_default=True,
    help="Folder that stands for the run folder's claim; metrics, checkpoints and logs go there.",
)
@click.option(
    "--fresh/--resume",
    "fresh",
    default=None,
    help="Start afresh, or go on with the run that is there. Without either: go on with an unfinished run, "
    "show the summary of a finished one.",
)
def command(options: ChartOptions, run_dir: Path, fresh: bool | None) -> None:
    """Train on this machine: each pod of the chart as a local process, no cluster needed.

    \b
      rlinf-eks local -f values/smoke.yaml --run-dir runs/mine
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    try:
        # In a process of its own: Node would stay all the time, and die noisily of the Ctrl-C that is meant for us.
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as renderer:
            manifests = renderer.submit(_render, options).result()
        code = run_locally(manifests, run_dir=run_dir, namespace=options.namespace, fresh=fresh, console=Console())
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    sys.exit(code)


def _render(options: ChartOptions) -> list[dict[str, Any]]:
    values, chart = options.values(), options.chart()

    from rlinf_constructs.helm import merge  # noqa: PLC0415 - see load_chart

    release = options.release()
    environment = chart.environment(values, release)
    chart.check(environment)
    return chart.render(merge.overlay(values, _with_free_ports(environment.values["ray"])), release)


def _with_free_ports(ray: dict[str, Any]) -> dict[str, Any]:
    """Ports of another program of this machine give way; in a cluster each pod has its own."""
    keys = ("port", "dashboardPort", "metricsPort")
    return {"ray": dict(zip(keys, free_ports(ray[key] for key in keys), strict=True))}
