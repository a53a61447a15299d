"""A real OCI registry, Debian's docker-registry, on a port of this machine."""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from leash import leashed
from port_numbers import next_ports


@dataclass(frozen=True, kw_only=True)
class Registry:
    """Where it listens."""

    host: str

    @property
    def reference(self) -> str:
        """Where charts go."""
        return f"oci://{self.host}/charts"


@contextmanager
def run_registry(folder: Path, **more: Any) -> Iterator[Registry]:
    """Serve until the test is done."""
    if shutil.which("docker-registry") is None:
        pytest.skip("docker-registry is not installed: apt-get install docker-registry")
    (port,) = next_ports()
    host = f"127.0.0.1:{port}"
    config = folder / "registry.yml"
    storage = {"filesystem": {"rootdirectory": str(folder / "registry")}}
    config.write_text(yaml.safe_dump({"version": 0.1, "storage": storage, "http": {"addr": host}, **more}))
    with (folder / "registry.log").open("w") as log:
        running = subprocess.Popen(leashed(["docker-registry", "serve", str(config)]), stdout=log, stderr=log)
    try:
        _wait_for(host)
        yield Registry(host=host)
    finally:
        running.terminate()
        running.wait(timeout=20)


def _wait_for(host: str) -> None:
    end = time.monotonic() + 20
    while not _answers(host):
        assert time.monotonic() < end, f"no registry on {host}"
        time.sleep(0.1)


def _answers(host: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}/v2/", timeout=5):
            return True
    except urllib.error.HTTPError:
        # It asks for a login.
        return True
    except OSError:
        return False
