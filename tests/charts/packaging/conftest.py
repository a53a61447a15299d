"""A registry for all tests, a key of our own, and packed charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oci_registry import Registry, run_registry
from rlinf_charts.packaging import Packaged, pack
from signing_key import Key, make_key


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    """Anyone may push; each test takes a chart name of its own."""
    with run_registry(tmp_path_factory.mktemp("registry")) as registry:
        yield registry


@pytest.fixture
def packed(tmp_path: Path) -> Callable[..., Packaged]:
    """Packs a small chart; another text gives another content, in a folder of its own."""

    def make(name: str, version: str = "1.0.0", *, text: str = "first") -> Packaged:
        metadata = f'apiVersion: v2\nname: {name}\ndescription: A test.\nversion: {version}\nappVersion: "1"\n'
        return pack(
            {"Chart.yaml": metadata, "values.yaml": "{}\n", "templates/it.yaml": f"# {text}\n"}, tmp_path / text
        )

    return make


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> Iterator[Key]:
    """A key of the test's own."""
    with make_key("platform@example.test", monkeypatch) as key:
        yield key
