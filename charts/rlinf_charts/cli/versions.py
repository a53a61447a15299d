"""`rlinf-eks versions`: what a registry has."""

from __future__ import annotations

import json
from dataclasses import asdict

import click
from rich.console import Console
from rich.table import Table

from rlinf_charts.cli.options import json_option, plain_http_option
from rlinf_charts.helm_client import HelmError


@click.command("versions")
@click.argument("chart")
@plain_http_option
@json_option
def command(chart: str, *, plain_http: bool, as_json: bool) -> None:
    """List the versions of CHART (oci://HOST/PATH/NAME) in its registry, the newest first.

    \b
      rlinf-eks versions oci://registry.example.com/charts/team-rlinf
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    from rlinf_charts.packaging import RegistryError, Repository, tag_of, versions_of  # noqa: PLC0415 - starts Node

    try:
        repository = Repository.from_reference(chart, plain_http=plain_http)
        rows = {version: repository.published(tag_of(version)) for version in versions_of(repository.tags())}
    except (RegistryError, HelmError) as error:
        raise click.ClickException(str(error)) from error
    published = {version: row for version, row in rows.items() if row is not None}
    if as_json:
        click.echo(json.dumps([{"version": version, **asdict(row)} for version, row in published.items()], indent=2))
        return
    if not published:
        click.echo(f"{chart} has no versions", err=True)
        return
    table = Table("VERSION", "CREATED", "SIGNED", "DIGEST", box=None, pad_edge=False, header_style="bold")
    for version, row in published.items():
        table.add_row(version, row.created, "yes" if row.is_signed else "no", row.digest)
    console = Console()
    console.print(table, soft_wrap=not console.is_terminal)
