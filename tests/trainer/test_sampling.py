"""Dynamic sampling and mini-batches."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.trainer.sampling import informative_groups, mini_batch_sizes


def test_groups_without_contrast_are_dropped():
    """All failures and all successes fall outside [0.1, 0.9]; one of four does not."""
    success = np.array([[False] * 4, [True, False, False, False], [True] * 4])

    assert informative_groups(success, lower=0.1, upper=0.9).tolist() == [False, True, False]


def test_bounds_from_zero_to_one_keep_everything():
    """The seeds' remedy for a baseline near zero, lower = 0 and upper = 1, filters nothing."""
    success = np.array([[False, False], [True, True]])

    assert informative_groups(success, lower=0.0, upper=1.0).tolist() == [True, True]


def test_uneven_ranks_by_hand():
    """Seven trajectories in mini-batches of at most four: two optimizer steps for both ranks."""
    assert mini_batch_sizes([5, 2], mini_batch_size=4) == [[3, 2], [1, 1]]


def test_nothing_kept_means_no_optimizer_step():
    """Every rank gets an empty list, so none waits for another."""
    assert mini_batch_sizes([0, 0], mini_batch_size=4) == [[], []]


@given(st.lists(st.integers(0, 200), min_size=1, max_size=6), st.integers(1, 64))
def test_ranks_take_the_same_steps_and_use_every_trajectory_once(counts: list[int], mini_batch_size: int):
    """No rank has more optimizer steps than another, nothing is lost, and every step has data, within the limit."""
    sizes = mini_batch_sizes(counts, mini_batch_size=mini_batch_size)

    assert len({len(of_rank) for of_rank in sizes}) == 1
    assert [sum(of_rank) for of_rank in sizes] == counts
    assert all(0 < sum(step) <= mini_batch_size for step in zip(*sizes, strict=True))
