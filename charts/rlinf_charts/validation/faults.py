"""A fault: where, which keys, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Given:
    """Values with the file or the `--set` that gave them."""

    name: str
    values: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        check: what found it.
        places: files, `--set` options or objects.
        keys: dotted paths in these.
        message: a sentence; for schema and rule the one that helm prints.
        hints: what to do, where the message does not say it.
        path: of the field at fault in a rendered object.
    """

    check: Literal["file", "schema", "rule", "kubernetes", "room"]
    places: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    message: str
    hints: tuple[str, ...] = ()
    path: tuple[str | int, ...] = ()

    def text(self) -> str:
        """The fault for people: where, then what."""
        where = ": ".join(filter(None, (", ".join(self.places), ", ".join(self.keys))))
        return "\n".join([where, *(f"  {line}" for line in (self.message, *self.hints))])
