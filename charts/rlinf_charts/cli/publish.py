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

    A version that exists with other content is never overwritten; with the same content there is nothing to do. Log in
    by `helm registry login`.
    """
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
