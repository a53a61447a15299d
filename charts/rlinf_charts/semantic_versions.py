"""Semantic versions and the tags that they have in a registry."""

from __future__ import annotations

import re
from collections.abc import Iterable

# https://semver.org, as a registry wants it: all three numbers, no leading v or zeros.
_NUMBER = r"(?:0|[1-9]\d*)"
_IDENTIFIER = rf"(?:{_NUMBER}|\d*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    rf"(?P<core>{_NUMBER}\.{_NUMBER}\.{_NUMBER})(?:-(?P<early>{_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)


def is_version(text: str) -> bool:
    """Whether it is a semantic version."""
    return _VERSION.fullmatch(text) is not None


def tag_of(version: str) -> str:
    """A version's tag: tags cannot hold the plus sign, so helm writes an underscore."""
    return version.replace("+", "_")


def versions_of(tags: Iterable[str]) -> list[str]:
    """The semantic versions among tags, the newest first."""
    found = [tag.replace("_", "+") for tag in tags]
    return sorted(filter(is_version, found), key=_precedence, reverse=True)


def _precedence(version: str) -> tuple[list[int], bool, list[tuple[bool, int, str]]]:
    """As semver.org orders them: a pre-release comes before its release, numbers before words."""
    match = _VERSION.fullmatch(version)
    assert match is not None, "only versions are sorted"
    core = [int(part) for part in match["core"].split(".")]
    early = [_identifier(part) for part in match["early"].split(".")] if match["early"] else []
    return core, not early, early


def _identifier(text: str) -> tuple[bool, int, str]:
    return (False, int(text), "") if text.isdigit() else (True, 0, text)
