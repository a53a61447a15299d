"""The .tgz of a chart: the same files give the same bytes, whoever packs them, and wherever.

What `helm package` takes from the machine (times, owners, modes) is fixed here. The compressed bytes are zlib's, so two
machines whose zlib differs may disagree on them, though never on the content.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlinf_charts.semantic_versions import is_version
from rlinf_constructs.helm import go, yaml_io

# Helm reads metadata before anything else.
_FIRST = "Chart.yaml"


class PackageError(ValueError):
    """A chart that cannot be packed, or a file that is no packed chart."""


@dataclass(frozen=True, kw_only=True)
class Packaged:
    """A packed chart on disk."""

    path: Path
    metadata: dict[str, Any]

    @property
    def name(self) -> str:
        """The chart's name."""
        return str(self.metadata["name"])

    @property
    def version(self) -> str:
        """The chart's version."""
        return str(self.metadata["version"])

    @property
    def digest(self) -> str:
        """sha256:... of the file, by which a registry knows it."""
        return f"sha256:{hashlib.sha256(self.path.read_bytes()).hexdigest()}"


def check_version(version: str) -> str:
    """The version, when it is a semantic one.

    Raises:
        PackageError: when it is not.
    """
    if not is_version(version):
        raise PackageError(
            f"version {version} is not a semantic version: write MAJOR.MINOR.PATCH, as in 1.4.0 or 1.4.0-rc.1"
        )
    return version


def pack(texts: Mapping[str, str], folder: Path) -> Packaged:
    """Write NAME-VERSION.tgz into the folder.

    Args:
        texts: the chart's files, text by path.
        folder: made when it is not there.

    Raises:
        PackageError: when the chart's version is not a semantic one.
    """
    metadata = yaml_io.load(texts[_FIRST])
    name, version = metadata["name"], check_version(metadata["version"])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}.tgz"
    path.write_bytes(_compressed(_tar(name, texts)))
    return Packaged(path=path, metadata=metadata)


def _tar(name: str, texts: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in _in_order(texts):
            data = texts[path].encode()
            # A fresh TarInfo has mode 0644, no owner, and the time 0.
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return content.getvalue()


def _in_order(paths: Iterable[str]) -> list[str]:
    return sorted(paths, key=lambda path: (path != _FIRST, path))


def _compressed(data: bytes) -> bytes:
    content = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=content, mode="wb", compresslevel=9, mtime=0) as archive:
        archive.write(data)
    return content.getvalue()


def read_package(path: Path) -> Packaged:
    """A packed chart that is there.

    Raises:
        PackageError: when the file cannot be read or holds no chart.
    """
    try:
        with tarfile.open(path, mode="r:gz") as archive:
            # To its end, since a download that was cut short begins well.
            metadata = next(iter(list(_metadata_in(archive))), None)
    except FileNotFoundError as error:
        raise PackageError(f"{path}: there is no such file") from error
    # A file that is cut short, bytes that are no text, a text that is no YAML.
    except (OSError, EOFError, zlib.error, tarfile.TarError, ValueError) as error:
        raise PackageError(f"{path}: not a packed chart: {error}") from error
    if metadata is None:
        raise PackageError(f"{path}: not a packed chart: it holds no NAME/{_FIRST}")
    if not go.is_map(metadata) or not metadata.get("name") or not is_version(str(metadata.get("version"))):
        raise PackageError(f"{path}: not a packed chart: its {_FIRST} has no name and semantic version")
    return Packaged(path=path, metadata=metadata)


def _metadata_in(archive: tarfile.TarFile) -> Iterator[Any]:
    for entry in archive:
        if entry.isfile() and entry.name.count("/") == 1 and entry.name.endswith(f"/{_FIRST}"):
            content = archive.extractfile(entry)
            assert content is not None, "a file has content"
            yield yaml_io.load(content.read().decode("utf-8"))
