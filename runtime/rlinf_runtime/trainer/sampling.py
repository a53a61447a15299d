"""Dynamic sampling: which groups teach something, and how the kept trajectories become mini-batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def informative_groups(success: NDArray[np.bool_], *, lower: float, upper: float) -> NDArray[np.bool_]:
    """Marks the groups whose success rate is within [lower, upper]; bool [groups].

    A group that always or never succeeds has zero advantages: it would only dilute the batch.

    Args:
        success: bool [groups, samples].
        lower: smallest success rate that is kept.
        upper: largest success rate that is kept.
    """
    rate = success.mean(axis=1)
    return (rate >= lower) & (rate <= upper)


def mini_batch_sizes(counts: list[int], *, mini_batch_size: int) -> list[list[int]]:
    """Splits each rank's trajectories into the same number of mini-batches, whose totals are as even as possible.

    Trajectories stay on the rank that made them, so ranks may hold different numbers; all must still take the same
    number of optimizer steps. Numbered through over all ranks, trajectory k goes to mini-batch k mod M.

    Args:
        counts: kept trajectories by rank.
        mini_batch_size: trajectories of one optimizer step over all ranks, at most.

    Returns:
        sizes[rank][mini_batch]; empty lists when nothing was kept. Example: counts [5, 2] and size 4 give
        [[3, 2], [1, 1]].
    """
    num_mini_batches = -(-sum(counts) // mini_batch_size)
    sizes: list[list[int]] = []
    first = 0
    for count in counts:
        mini_batch_of = np.arange(first, first + count) % max(num_mini_batches, 1)
        sizes.append(np.bincount(mini_batch_of, minlength=num_mini_batches).tolist() if num_mini_batches else [])
        first += count
    return sizes
