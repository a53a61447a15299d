"""What runtime/overlay.Dockerfile adds to an engine's image; the image under test stands for one."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests_support import ROOT

_PACKAGES = "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()))"


@pytest.fixture(scope="module")
def overlay(image) -> Iterator[Any]:
    """An image built on the one under test."""
    if shutil.which("buildah") is None:
        pytest.skip("docker takes no local image by its digest, buildah does: apt-get install buildah")
    built = replace(image, name=f"{image.name}-overlay")
    command = [ROOT / "tools" / "build_image.sh", "runtime/overlay.Dockerfile", image.reference(), built.name]
    options = shlex.split(os.environ.get("BUILD_OPTIONS", ""))
    subprocess.run([*command, "--build-arg=VENV=/opt/venv", *options], check=True, timeout=280)
    yield built
    subprocess.run([image.engine, "image", "rm", built.name], check=True)


def test_it_adds_the_codec_and_changes_no_package(image, overlay) -> None:
    """PyTorch least of all."""
    before, after = (set(it.run("python3", "-c", _PACKAGES).split()) for it in (image, overlay))
    assert before < after
    assert [package.partition("==")[0] for package in after - before] == ["simplejpeg"]


def test_it_codes_jpegs(overlay) -> None:
    """The codec works with the NumPy of the engine."""
    code = "import numpy, simplejpeg as s; print(s.decode_jpeg(s.encode_jpeg(numpy.zeros((8, 8, 3), 'uint8'))).shape)"
    assert overlay.run("python3", "-c", code).strip() == "(8, 8, 3)"


def test_it_keeps_what_the_engines_image_sets(image, overlay) -> None:
    """Its command and variables; only the virtual environment comes first on PATH, and a user without root."""
    before, after = image.config(), overlay.config()
    assert after["Cmd"] == before["Cmd"]
    assert after["User"] == "1000:1000"
    variables = dict(item.split("=", 1) for item in after["Env"])
    assert variables["PATH"].startswith("/opt/venv/bin:")
    assert {item.split("=", 1)[0] for item in before["Env"]} == variables.keys()
