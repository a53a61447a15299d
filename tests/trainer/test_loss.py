"""The clipped policy-gradient loss and its masks."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.trainer.loss import PolicyLoss, finish_mask, policy_loss, trajectory_mean_weights


def loss_at(ratio: float, *, advantage: float) -> tuple[PolicyLoss, torch.Tensor]:
    """The loss of a single token whose probability changed by `ratio`, and its gradient."""
    log_probs = torch.tensor([[math.log(ratio)]], requires_grad=True)
    result = policy_loss(
        log_probs=log_probs,
        old_log_probs=torch.zeros(1, 1),
        advantages=torch.tensor([advantage]),
        weights=torch.ones(1, 1),
        clip_ratio_low=0.2,
        clip_ratio_high=0.28,
    )
    (gradient,) = torch.autograd.grad(result.loss, log_probs)
    return result, gradient


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "gradient"),
    [
        (1.0, 2.0, -2.0, -2.0),  # on policy: -A, and the gradient is -A
        (1.2, 2.0, -2.4, -2.4),  # within the upper bound
        (1.5, 2.0, -2.56, 0.0),  # a good token grew by more than 28 %: clipped at 1.28
        (0.5, 2.0, -1.0, -1.0),  # a good token shrank: never clipped
        (0.5, -2.0, 1.6, 0.0),  # a bad token shrank by more than 20 %: clipped at 0.8
        (1.5, -2.0, 3.0, 3.0),  # a bad token grew: never clipped
    ],
)
def test_clipping_by_hand(ratio: float, advantage: float, loss: float, gradient: float):
    """The bounds stop the pull in the direction of the advantage, and only there."""
    result, slope = loss_at(ratio, advantage=advantage)

    assert result.loss.item() == pytest.approx(loss)
    assert slope.item() == pytest.approx(gradient)
    assert result.clip_fraction.item() == (1.0 if gradient == 0.0 else 0.0)


def test_the_upper_bound_is_wider_than_the_lower():
    """A ratio 25 % above 1 still pulls; one 25 % below does not."""
    _, up = loss_at(1.25, advantage=1.0)
    _, down = loss_at(0.75, advantage=-1.0)

    assert up.item() != 0.0
    assert down.item() == 0.0


def test_approx_kl_is_the_mean_fall_of_the_log_probability():
    """A token that became half as likely contributes ln 2."""
    result, _ = loss_at(0.5, advantage=1.0)

    assert result.approx_kl.item() == pytest.approx(math.log(2.0))


def test_tokens_after_the_finish_step_are_masked():
    """An episode that ended in the second of four steps counts its first two actions of three tokens."""
    mask = finish_mask(torch.tensor([2, 4]), chunk_len=4, action_token_len=3)

    assert mask.tolist() == [[True] * 6 + [False] * 6, [True] * 12]


def test_every_trajectory_weighs_the_same_by_hand():
    """Trajectory 0 has 2 + 1 tokens in two chunks, trajectory 1 has one: weights 1/6 each and 1/2."""
    mask = torch.tensor([[True, True], [True, False], [True, False]])
    weights = trajectory_mean_weights(mask, torch.tensor([0, 0, 1]), num_trajectories=2)

    torch.testing.assert_close(weights, torch.tensor([[1 / 6, 1 / 6], [1 / 6, 0.0], [1 / 2, 0.0]]))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=12))
def test_weights_sum_to_one_over_a_mini_batch(chunks: list[tuple[int, int]]):
    """However the chunks fall on trajectories, the loss is a weighted mean."""
    names = sorted({name for name, _ in chunks})
    trajectory = torch.tensor([names.index(name) for name, _ in chunks])
    mask = finish_mask(torch.tensor([steps for _, steps in chunks]), chunk_len=4, action_token_len=3)
    weights = trajectory_mean_weights(mask, trajectory, num_trajectories=len(names))

    assert weights.sum().item() == pytest.approx(1.0, abs=1e-5)


@given(st.integers(0, 2**31), st.floats(-50.0, 0.0))
def test_masked_tokens_do_not_matter(seed: int, garbage: float):
    """Loss and gradient stay the same whatever the log-probability of a masked token is."""
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(3, 12, generator=generator)
    mask = finish_mask(torch.tensor([1, 2, 4]), chunk_len=4, action_token_len=3)
    weights = trajectory_mean_weights(mask, torch.tensor([0, 1, 1]), num_trajectories=2)

    def evaluate(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        leaf = values.clone().requires_grad_()
        result = policy_loss(
            log_probs=leaf,
            old_log_probs=torch.zeros(3, 12),
            advantages=torch.tensor([1.0, -1.0, 0.5]),
            weights=weights,
            clip_ratio_low=0.2,
            clip_ratio_high=0.28,
        )
        return result.loss.detach(), torch.autograd.grad(result.loss, leaf)[0]

    loss, gradient = evaluate(log_probs)
    other_loss, other_gradient = evaluate(torch.where(mask, log_probs, torch.full_like(log_probs, garbage)))

    torch.testing.assert_close(other_loss, loss)
    torch.testing.assert_close(other_gradient, gradient)
    assert not gradient[~mask].any()
