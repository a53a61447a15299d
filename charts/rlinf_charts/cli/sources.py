"""Where values come from: files, `--set` and `--set-string`, in the order in which helm lays them over each other."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Source:
    """One of these.

    Attributes:
        name: as the user wrote it.
        read: gives its values, or raises ValueError with a sentence.
    """

    name: str
    read: Callable[[], dict[str, Any]]


def sources(files: Iterable[Path], assignments: Iterable[str], texts: Iterable[str]) -> list[Source]:
    """All of them, the last one winning."""
    from rlinf_constructs.helm import merge  # noqa: PLC0415 - starts Node

    return [
        *(Source(name=str(it), read=functools.partial(_read_file, it)) for it in files),
        *(Source(name=f"--set {it}", read=functools.partial(merge.set_values, {}, it)) for it in assignments),
        *(Source(name=f"--set-string {it}", read=functools.partial(merge.set_string, {}, it)) for it in texts),
    ]


def overlay(values: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The values of all sources, the last one winning."""
    from rlinf_constructs.helm import merge  # noqa: PLC0415 - starts Node

    return functools.reduce(merge.overlay, values, {})


def _read_file(file: Path) -> dict[str, Any]:
    from rlinf_constructs.helm import yaml_io  # noqa: PLC0415 - starts Node

    content = yaml_io.load_file(file)
    if not isinstance(content, dict | None):
        found = type(content).__name__
        raise ValueError(f"{file}: a values file is a map of keys, this one is a {found}")
    return content or {}
