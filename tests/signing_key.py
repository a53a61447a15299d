"""A GnuPG home with a signing key, for the time of a test."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, kw_only=True)
class Key:
    """A signing key, and its public half in a file for helm."""

    name: str
    keyring: Path


@contextmanager
def make_key(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Key]:
    """Make a key without a passphrase; the folder's path is short, since the agent's socket is in it."""
    if shutil.which("gpg") is None:
        pytest.skip("gpg is not installed: apt-get install gnupg")
    with tempfile.TemporaryDirectory(prefix="gpg") as home:
        monkeypatch.setenv("GNUPGHOME", home)
        _gpg("--batch", "--passphrase", "", "--quick-generate-key", f"Platform <{name}>", "rsa2048")
        keyring = Path(home) / "public.gpg"
        keyring.write_bytes(_gpg("--export", name))
        yield Key(name=name, keyring=keyring)
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False, timeout=60)


def _gpg(*arguments: str) -> bytes:
    return subprocess.run(["gpg", "--quiet", *arguments], check=True, capture_output=True, timeout=60).stdout
