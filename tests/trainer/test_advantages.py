"""Group-relative advantages."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.trainer.advantages import group_advantages

group = st.lists(st.sampled_from([0.0, 1.0]), min_size=4, max_size=4)
groups = st.lists(group, min_size=1, max_size=5).map(torch.tensor)


def test_one_success_of_four_by_hand():
    """Mean 1/4 and unbiased deviation 1/2 give 1.5 to the success and -0.5 to each failure."""
    advantages = group_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]]))

    assert advantages.tolist() == [pytest.approx([1.5, -0.5, -0.5, -0.5], abs=1e-5)]


def test_groups_do_not_see_each_other():
    """A group's advantages are the same alone and beside another group."""
    alone = group_advantages(torch.tensor([[1.0, 0.0]]))
    beside = group_advantages(torch.tensor([[1.0, 0.0], [1.0, 1.0]]))

    assert torch.equal(beside[:1], alone)


def test_a_group_without_contrast_teaches_nothing():
    """Equal rewards give zero advantages, whether all succeed or all fail."""
    advantages = group_advantages(torch.tensor([[1.0, 1.0], [0.0, 0.0]]))

    assert torch.equal(advantages, torch.zeros(2, 2))


@given(groups)
def test_advantages_sum_to_zero_in_every_group(rewards: torch.Tensor):
    """What successes gain, failures lose."""
    torch.testing.assert_close(group_advantages(rewards).sum(dim=1), torch.zeros(len(rewards)), atol=1e-5, rtol=0)


@given(groups, st.floats(0.5, 100.0), st.floats(-10.0, 10.0))
def test_advantages_ignore_the_scale_and_the_origin_of_rewards(rewards: torch.Tensor, scale: float, shift: float):
    """Rewards r and scale * r + shift give the same advantages: a reward of 5 for success changes nothing."""
    torch.testing.assert_close(
        group_advantages(scale * rewards + shift), group_advantages(rewards), atol=1e-3, rtol=1e-3
    )
