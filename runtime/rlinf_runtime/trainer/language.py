"""Instructions as word tokens of a fixed length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PADDING = 0
WORDS = ("<pad>", "touch", "push", "the", "red", "green", "blue", "block", "away")
NUM_TOKENS = 5
"""Length of every tokenized instruction, padded at the end."""

_TOKEN_OF_WORD = {word: token for token, word in enumerate(WORDS)}


def tokenize(instruction: str) -> NDArray[np.int64]:
    """Maps an instruction to word tokens, int64 [NUM_TOKENS].

    Raises:
        ValueError: the instruction has an unknown word or too many words.
    """
    words = instruction.split()
    unknown = [word for word in words if word not in _TOKEN_OF_WORD]
    if unknown:
        raise ValueError(f"instruction {instruction!r} has unknown words {unknown}; the vocabulary is {WORDS[1:]}")
    if len(words) > NUM_TOKENS:
        raise ValueError(f"instruction {instruction!r} has {len(words)} words; at most {NUM_TOKENS} are allowed")
    tokens = np.full(NUM_TOKENS, PADDING, dtype=np.int64)
    tokens[: len(words)] = [_TOKEN_OF_WORD[word] for word in words]
    return tokens
