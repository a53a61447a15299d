"""What tools/build_image.sh refuses, before it builds anything."""

from __future__ import annotations

import subprocess

import pytest

from tests_support import ROOT


@pytest.mark.parametrize("base", ["", "debian:12-slim", "debian@sha256:0123", "debian@sha256:" + "0" * 64 + "x"])
def test_a_base_without_a_digest_is_refused(base: str) -> None:
    """A tag is another image tomorrow; the refusal says how to name one that stays, and how to find its digest."""
    command = [ROOT / "tools" / "build_image.sh", "runtime/Dockerfile", base, "rlinf-eks-runtime:test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: BASE_IMAGE is '{base}', but must name the base image by its digest")
    assert "make image BASE_IMAGE=docker.io/library/debian@sha256:" in done.stderr
    assert "docker buildx imagetools inspect" in done.stderr
