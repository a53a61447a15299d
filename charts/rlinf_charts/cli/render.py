"""`rlinf-eks render`: print plain manifests, without helm."""

from __future__ import annotations

from pathlib import Path

import click

from rlinf_charts.cli.options import load_chart, read_values, release_options, values_options


@click.command("render")
@values_options
@release_options(name="rlinf")
def command(files: tuple[Path, ...], assignments: tuple[str, ...], name: str, namespace: str) -> None:
    """Print the objects that `helm install` would create, for kubectl or a GitOps tool.

    A random Ray token is made at each call: name a Secret of your own by ray.auth.existingSecret to keep it.
    """
    values = read_values(files, assignments)
    chart = load_chart()

    from rlinf_constructs.helm import Release, ValuesError, yaml_io  # noqa: PLC0415 - see load_chart

    try:
        click.echo(yaml_io.dump_all(chart.render(values, Release(name=name, namespace=namespace))), nl=False)
    except ValuesError as error:
        raise click.ClickException(str(error)) from error
