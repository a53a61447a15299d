"""Provenance: who packed this chart, and that it is unchanged, as `helm verify` reads it.

Helm's .prov is a clear-signed text: Chart.yaml, a line of dots, and the package's SHA-256. GnuPG signs it, so keys stay
where people keep them: in an agent, on a smart card.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from rlinf_charts.packaging.archive import Packaged
from rlinf_constructs.helm import yaml_io

# Somebody may have to type a passphrase.
_DEADLINE_S = 300


class SigningError(RuntimeError):
    """GnuPG did not sign; the text says why."""


def provenance_of(path: Path) -> Path:
    """Where helm looks for a package's provenance."""
    return path.with_name(f"{path.name}.prov")


def sign(packaged: Packaged, *, key: str) -> Path:
    """Write NAME-VERSION.tgz.prov beside the package.

    Args:
        packaged: the chart.
        key: what GnuPG knows the key by, such as an e-mail address or fingerprint.

    Raises:
        SigningError: when gpg is missing, has no such key, or was not allowed to use it.
    """
    target = provenance_of(packaged.path)
    command = ["gpg", "--yes", "--digest-algo", "SHA512", "--local-user", key, "--output", str(target), "--clearsign"]
    try:
        done = subprocess.run(
            command, input=_message(packaged), capture_output=True, text=True, check=False, timeout=_DEADLINE_S
        )
    except subprocess.TimeoutExpired as error:
        raise SigningError(
            f"gpg did not sign with the key {key} within {_DEADLINE_S} s: is its agent asking?"
        ) from error
    except FileNotFoundError as error:
        raise SigningError("gpg is not on PATH: install GnuPG to sign") from error
    if done.returncode != 0:
        raise SigningError(f"gpg did not sign with the key {key}: {done.stderr.strip()}")
    return target


def _message(packaged: Packaged) -> str:
    files = yaml_io.dump({"files": {packaged.path.name: packaged.digest}})
    return f"{yaml_io.dump(packaged.metadata)}\n...\n{files}"
