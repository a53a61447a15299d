"""The packed chart: bytes, versions, and what helm says to it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from rlinf_charts.packaging import PackageError, check_version, pack, read_package
from rlinf_constructs.helm import HelmChart, yaml_io
from tests_support import ROOT


def helm(*arguments: str | Path) -> str:
    """Run helm; its output."""
    command = ["helm", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_files_give_the_same_bytes(chart: HelmChart, tmp_path: Path) -> None:
    """Later, in another folder, and whatever the order of the files and the umask."""
    texts = chart.texts()
    first = pack(texts, tmp_path / "one")
    time.sleep(1.1)
    umask = os.umask(0o077)
    try:
        second = pack(dict(reversed(texts.items())), tmp_path / "two")
    finally:
        os.umask(umask)

    assert first.path.read_bytes() == second.path.read_bytes()


def test_helm_takes_the_package_as_it_takes_the_folder(chart: HelmChart, written_chart: Path, tmp_path: Path) -> None:
    """lint, show and template: nothing is lost in packing."""
    packed = pack(chart.texts(), tmp_path).path

    assert "0 chart(s) failed" in helm("lint", "--strict", packed)
    assert yaml_io.load(helm("show", "chart", packed)) == chart.metadata
    options = ("--values", ROOT / "values" / "h100.yaml", "--set", "ray.auth.existingSecret=mine")
    assert helm("template", "rel", packed, *options) == helm("template", "rel", written_chart, *options)


def test_the_package_is_small(chart: HelmChart, tmp_path: Path) -> None:
    """At most 200 KB."""
    assert pack(chart.texts(), tmp_path).path.stat().st_size < 200_000


@pytest.mark.parametrize("version", ["1.4.0", "0.0.1-rc.1", "1.0.0+build.5", "1.0.0-alpha.0a+7"])
def test_semantic_versions(version: str) -> None:
    """All that semver.org allows."""
    assert check_version(version) == version


@pytest.mark.parametrize("version", ["1.4", "v1.4.0", "01.4.0", "1.4.0-01", "1.4.0-", "1.4.0 ", "latest"])
def test_other_versions(version: str) -> None:
    """A registry would take them for something else."""
    with pytest.raises(PackageError, match=r"is not a semantic version: write MAJOR.MINOR.PATCH, as in 1.4.0"):
        check_version(version)


def test_a_packed_chart_is_read_again(chart: HelmChart, tmp_path: Path) -> None:
    """Name, version and digest, from a package of helm's own as well."""
    ours = read_package(pack(chart.texts(), tmp_path).path)
    assert (ours.name, ours.version) == (chart.name, chart.metadata["version"])
    assert ours.digest.startswith("sha256:")

    chart.write(tmp_path / "folder")
    helm("package", tmp_path / "folder", "--destination", tmp_path / "theirs")
    assert read_package(next((tmp_path / "theirs").iterdir())).metadata == ours.metadata


def test_another_file_is_no_chart(tmp_path: Path) -> None:
    """The sentence names it."""
    file = tmp_path / "notes.tgz"
    file.write_text("notes")
    with pytest.raises(PackageError, match=r"notes.tgz: not a packed chart"):
        read_package(file)
