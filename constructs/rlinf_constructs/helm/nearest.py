"""The word that was meant by one that is not known; rather none than one that misleads."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# Of the letters of both words that are alike: a swap in a word of four.
_ALIKE = 0.73
_SHORTEST_BEGINNING = 3


def nearest(word: str, known: Iterable[str]) -> str:
    """A known word that is spelt nearly like this one, or the only one that begins with it; else "".

    >>> nearest("cuont", ["count", "gpus"]), nearest("http", ["HTTPMode", "K8sJobMode"]), nearest("off", ["auto"])
    ('count', 'HTTPMode', '')

    What stands before a dot is a family, and a word of another family is no misspelling.

    >>> nearest("p5.48xlrage", ["g5.48xlarge", "p5.48xlarge"]), nearest("m7i.4xlarge", ["g5.4xlarge", "p5.4xlarge"])
    ('p5.48xlarge', '')
    """
    # People mistake the case of a word more often than its letters.
    lower = word.lower()
    by_lower_case = {it.lower(): it for it in known if _may_be_of_one_family(lower, it.lower())}
    longer = [it for it in by_lower_case if len(lower) >= _SHORTEST_BEGINNING and it.startswith(lower)]
    found = difflib.get_close_matches(lower, by_lower_case, n=1, cutoff=_ALIKE) or (longer if len(longer) == 1 else [])
    return by_lower_case[found[0]] if found else ""


def _may_be_of_one_family(word: str, other: str) -> bool:
    return "." not in word or "." not in other or word.partition(".")[0] == other.partition(".")[0]
