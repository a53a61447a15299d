"""Containers of the image that RLINF_TEST_IMAGE names, by docker or podman, as strict as the chart's pods."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest

# What the chart asks of its pods: no root, no capability, nothing to write on but mounted folders. The limits are those
# that Ray needs, and that an ordinary user may ask for.
_STRICT = (
    *("--rm", "--read-only", "--tmpfs=/tmp", "--shm-size=1g", "--network=none", "--user=1000:1000"),
    *("--cap-drop=all", "--security-opt=no-new-privileges"),
    *("--ulimit=nofile=16384:16384", "--ulimit=nproc=8192:8192"),
)


@dataclass(frozen=True, kw_only=True)
class Image:
    """An image, and the command that runs its containers."""

    engine: str
    name: str

    def run(self, *command: str, options: tuple[str, ...] = (), timeout_s: float = 120) -> str:
        """What a command prints in a strict container."""
        return _output([self.engine, "run", *_STRICT, *options, self.name, *command], timeout_s=timeout_s)

    def config(self) -> dict[str, Any]:
        """The image's user, command, environment and labels."""
        return self._inspect()["Config"]

    def reference(self) -> str:
        """The name with the digest in the tag's place."""
        return f"{self.name.rpartition(':')[0]}@{self._inspect()['Digest']}"

    def _inspect(self) -> dict[str, Any]:
        [inspected] = json.loads(_output([self.engine, "image", "inspect", self.name]))
        return inspected


@pytest.fixture(scope="session")
def image() -> Image:
    """The image under test; `make test-image` names it."""
    name = os.environ.get("RLINF_TEST_IMAGE")
    if not name:
        pytest.skip("RLINF_TEST_IMAGE names no image: make test-image IMAGE=...")
    for engine in ("podman", "docker"):
        if (
            shutil.which(engine)
            and subprocess.run([engine, "image", "inspect", name], capture_output=True, check=False).returncode == 0
        ):
            return Image(engine=engine, name=name)
    return pytest.fail(f"neither podman nor docker here has {name}: make image IMAGE={name} BASE_IMAGE=...")


def _output(command: list[str], *, timeout_s: float = 60) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout_s)
    assert done.returncode == 0, f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout
