"""Actions as discrete tokens: every number in [-1, 1] is one of 256 bins, as in OpenVLA (arXiv:2406.09246, 3.2)."""

from __future__ import annotations

import torch
from torch import Tensor

NUM_BINS = 256


def bin_centers(device: torch.device | None = None) -> Tensor:
    """The action that every token stands for, [NUM_BINS], ascending in (-1, 1)."""
    return (torch.arange(NUM_BINS, device=device) + 0.5) * (2.0 / NUM_BINS) - 1.0


def encode(actions: Tensor) -> Tensor:
    """Maps actions to the tokens of the nearest bins; values beyond [-1, 1] go to the outermost.

    Args:
        actions: float, any shape.

    Returns:
        int64, the same shape.
    """
    return ((actions + 1.0) * (NUM_BINS / 2)).floor().long().clamp(0, NUM_BINS - 1)


def decode(tokens: Tensor) -> Tensor:
    """Maps tokens, int64 of any shape, to actions, float32 of the same shape."""
    return bin_centers(tokens.device)[tokens]
