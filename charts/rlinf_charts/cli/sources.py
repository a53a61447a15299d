"""Where values come from: files, `--set` and `--set-string`, in the order in which helm lays them over each other."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Values = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Source:
    """One of these.

    Attributes:
        name: as the user wrote it.
        over: values with those of this source laid over them, or ValueError with a sentence.
    """

    name: str
    over: Callable[[Values], Values]


def sources(files: Iterable[Path], assignments: Iterable[str], texts: Iterable[str]) -> list[Source]:
    """All of them, the last one winning."""
    return [
        *(_file(name) for file in files for name in str(file).split(",")),
        *(_assignment("--set", it, typed=True) for it in assignments),
        *(_assignment("--set-string", it, typed=False) for it in texts),
    ]


def overlay(given: Iterable[Source]) -> Values:
    """The values of all sources, the last one winning."""
    return functools.reduce(lambda values, source: source.over(values), given, {})


def _file(name: str) -> Source:
    @functools.cache
    def content() -> Values:
        return _read_file(Path(name))

    def over(values: Values) -> Values:
        from rlinf_constructs.helm import merge  # noqa: PLC0415 - starts Node

        return merge.overlay(values, content())

    return Source(name=name, over=over)


def _assignment(option: str, text: str, *, typed: bool) -> Source:
    name = f"{option} {text}"

    def over(values: Values) -> Values:
        from rlinf_constructs.helm import assignments  # noqa: PLC0415 - starts Node

        try:
            return assignments.assign(values, text, typed=typed)
        except assignments.AssignmentError as error:
            raise ValueError(f"{name}: {error}") from error

    return Source(name=name, over=over)


_KINDS = {str: "text", bool: "boolean", int: "number", float: "number", list: "list"}


def _read_file(file: Path) -> Values:
    from rlinf_constructs.helm import yaml_io  # noqa: PLC0415 - starts Node

    content = yaml_io.load_file(file)
    if not isinstance(content, dict | None):
        raise ValueError(f"{file}: a values file is a map of keys, this one is a {_KINDS[type(content)]}")
    return content or {}
