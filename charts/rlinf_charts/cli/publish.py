"""`rlinf-eks publish`: a packed chart into a registry."""

from __future__ import annotations

from pathlib import Path

import click

from rlinf_charts.cli.options import plain_http_option
from rlinf_charts.helm_client import HelmError


@click.command("publish")
@click.argument("package", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("registry")
@plain_http_option
def command(package: Path, registry: str, *, plain_http: bool) -> None:
    """Push PACKAGE (NAME-VERSION.tgz) and its provenance into REGISTRY (oci://HOST/PATH) by `helm push`.

    \b
      helm registry login registry.example.com
      rlinf-eks publish team-rlinf-1.4.0.tgz oci://registry.example.com/charts

    A version that exists with other content is never overwritten; with the same content there is nothing to do.
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    from rlinf_charts.packaging import (  # noqa: PLC0415 - starts Node
        PackageError,
        PublishError,
        RegistryError,
        publish,
        read_package,
    )

    try:
        outcome = publish(read_package(package), registry, plain_http=plain_http)
    except (PackageError, PublishError, RegistryError, HelmError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"published {outcome.reference}" if outcome.is_new else f"{outcome.reference} is there, with this content"
    )
