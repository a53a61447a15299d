"""Kubernetes quantities such as `191450m` or `1800Gi`."""

from __future__ import annotations

import re
from fractions import Fraction

_QUANTITY = re.compile(r"([0-9.]+)(?:([eE][+-]?[0-9]+)|([numkMGTPE]|[KMGTPE]i)?)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def parse_quantity(text: str | float) -> Fraction:
    """The exact amount.

    >>> parse_quantity("1500m"), parse_quantity("2Ki"), parse_quantity(3)
    (Fraction(3, 2), Fraction(2048, 1), Fraction(3, 1))

    Raises:
        ValueError: when it is no quantity.
    """
    match = _QUANTITY.fullmatch(str(text))
    if match is None:
        raise ValueError(f"{text!r} is not a quantity like 500m, 2 or 16Gi")
    number, exponent, suffix = match.groups(default="")
    if exponent:
        return Fraction(number + exponent)
    scale = 2 ** _BINARY[suffix] if suffix in _BINARY else Fraction(10) ** _DECIMAL[suffix]
    return Fraction(number) * scale
