"""The seed partitions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.trainer.episodes import Split, episode_seed, episodes
from rlinf_runtime.trainer.tasks import SUITES

places = st.tuples(st.sampled_from(Split), st.integers(0, 2**20 - 1), st.integers(0, 2**40 - 1))


@given(places, places)
def test_no_two_episodes_share_a_seed(one: tuple[Split, int, int], other: tuple[Split, int, int]):
    """Two seeds are equal only if split, run seed and index all are."""
    seeds = [episode_seed(split, run_seed=run_seed, index=index) for split, run_seed, index in (one, other)]

    assert (seeds[0] == seeds[1]) == (one == other)


def test_all_runs_are_validated_on_the_same_scenes():
    """The run's seed changes the training episodes and leaves the held-out ones alone."""
    suite = SUITES["touch_push"]

    def drawn(split: Split, run_seed: int) -> list[int]:
        return [episode.seed for episode in episodes(split, suite, run_seed=run_seed, indices=range(6))]

    assert drawn(Split.VALIDATION, 1) == drawn(Split.VALIDATION, 2)
    assert not set(drawn(Split.TRAINING, 1)) & set(drawn(Split.TRAINING, 2))


def test_tasks_take_turns():
    """Twelve episodes of a suite of six tasks have each task twice."""
    suite = SUITES["touch_push"]
    drawn = [episode.task for episode in episodes(Split.TRAINING, suite, run_seed=0, indices=range(12))]

    assert drawn == [*suite, *suite]


def test_a_seed_that_does_not_fit_is_refused():
    """The text names the range."""
    with pytest.raises(ValueError, match="run seed must be from 0 to 1048575, got 1048576"):
        episode_seed(Split.TRAINING, run_seed=1 << 20, index=0)
