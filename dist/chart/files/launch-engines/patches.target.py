"""The functions that patches change: found, checked for what the patch expects, and replaced.

The checks read code objects, not source text: they need no source file and cost next to nothing in a worker's start.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .patch import MismatchError

Function = Callable[..., Any]


def member(owner: ModuleType | type, name: str) -> Any:
    """An attribute of a module or class.

    Raises:
        MismatchError: there is none.
    """
    try:
        return getattr(owner, name)
    except AttributeError:
        raise MismatchError(f"{owner.__name__} has no {name}") from None


def function(
    owner: ModuleType | type, name: str, parameters: tuple[str, ...], *, uses: tuple[str, ...] = ()
) -> Function:
    """A function that looks as expected.

    Args:
        owner: the module or class that it belongs to.
        name: its name there.
        parameters: the names that its parameters must begin with.
        uses: names of variables and attributes, and constant texts, that its code must use.

    Raises:
        MismatchError: it does not look so.
    """
    found = member(owner, name)
    plain = inspect.unwrap(found)
    if not isinstance(plain, FunctionType):
        raise MismatchError(f"{owner.__name__}.{name} is no function")
    code = plain.__code__
    given = code.co_varnames[: code.co_argcount]
    if given[: len(parameters)] != parameters:
        raise MismatchError(f"{owner.__name__}.{name} takes ({', '.join(given)}), not ({', '.join(parameters)})")
    if missing := [each for each in uses if each not in names_in(plain)]:
        raise MismatchError(f"{owner.__name__}.{name} does not use {', '.join(missing)}")
    return found


def replace(owner: ModuleType | type, name: str, make: Callable[[Function], Function]) -> None:
    """Puts `make(original)` in the place of a function, under its name and with its attributes."""
    original = getattr(owner, name)
    setattr(owner, name, functools.wraps(original)(make(original)))


def names_in(function: Function) -> set[Any]:
    """The variables, attributes, keyword arguments and constants that a function's code uses."""
    return _used(inspect.unwrap(function).__code__)


def _used(code: CodeType) -> set[Any]:
    used: set[Any] = {*code.co_names, *code.co_varnames, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            used |= _used(constant)
        elif isinstance(constant, (frozenset, tuple)):
            used.update(constant)
        else:
            used.add(constant)
    return used
