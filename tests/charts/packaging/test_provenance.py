"""Signing, held against `helm verify`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import rlinf_eks
from rlinf_charts.packaging import Packaged, SigningError, pack, sign
from rlinf_constructs.helm import HelmChart
from signing_key import Key


def verify(packaged: Packaged, keyring: Path) -> subprocess.CompletedProcess[str]:
    """Run `helm verify`."""
    command = ["helm", "verify", "--keyring", str(keyring), str(packaged.path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_helm_verifies_our_chart(chart: HelmChart, key: Key, tmp_path: Path) -> None:
    """The command line signs the real chart; helm names the signer and the package."""
    packaged = pack(chart.texts(), tmp_path)

    done = rlinf_eks("sign", packaged.path, "--key", key.name)

    assert done.stdout == f"wrote {packaged.path}.prov\n"
    verified = verify(packaged, key.keyring)
    assert verified.returncode == 0, verified.stderr
    assert f"Signed by: Platform <{key.name}>" in verified.stdout
    assert f"Chart Hash Verified: {packaged.digest}" in verified.stdout


def test_a_package_that_changed_is_refused(packed: Callable[..., Packaged], key: Key) -> None:
    """One byte is enough."""
    packaged = packed("changed")
    sign(packaged, key=key.name)
    with packaged.path.open("ab") as file:
        file.write(b"\0")

    assert "sha256 sum does not match" in verify(packaged, key.keyring).stderr


def test_signing_again_replaces_the_provenance(packed: Callable[..., Packaged], key: Key) -> None:
    """As after a repacking."""
    sign(packed("again"), key=key.name)
    second = packed("again", text="second")
    sign(second, key=key.name)
    assert verify(second, key.keyring).returncode == 0


def test_a_key_that_gnupg_does_not_have(packed: Callable[..., Packaged], key: Key) -> None:
    """The sentence names it."""
    packaged = packed("nokey")
    with pytest.raises(SigningError, match=r"gpg did not sign with the key nobody@example.test: .*No secret key"):
        sign(packaged, key="nobody@example.test")
    assert not packaged.path.with_name(f"{packaged.path.name}.prov").exists()
