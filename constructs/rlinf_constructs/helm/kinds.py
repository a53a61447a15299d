"""The kinds of value that expressions have."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """The type of an expression's value."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    MAP = "map"
