"""`rlinf-eks sign`: provenance for a packed chart."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("sign")
@click.argument("package", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--key", required=True, help="The key, as GnuPG knows it: an e-mail address or a fingerprint.")
def command(package: Path, key: str) -> None:
    """Sign PACKAGE (NAME-VERSION.tgz) with GnuPG, and write PACKAGE.prov for `helm verify`.

    \b
    Helm reads public keys from a file, which GnuPG writes:
      gpg --export KEY > keys.gpg
      helm verify --keyring keys.gpg PACKAGE
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    from rlinf_charts.packaging import PackageError, SigningError, read_package, sign  # noqa: PLC0415 - starts Node

    try:
        provenance = sign(read_package(package), key=key)
    except (PackageError, SigningError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"wrote {provenance}")
