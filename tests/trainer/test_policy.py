"""The policy's shapes, its language, and action tokens."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlinf_runtime.trainer.action_tokens import NUM_BINS, bin_centers, decode, encode
from rlinf_runtime.trainer.imitation import imitation_loss, smoothed_targets
from rlinf_runtime.trainer.language import tokenize
from rlinf_runtime.trainer.policy import Policy, PolicyInput, sample_tokens, token_log_probs


def observations(*instructions: str) -> PolicyInput:
    """The same random picture with each of the instructions."""
    image = torch.randint(0, 256, (1, 64, 64, 3), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    return PolicyInput(
        images=image.repeat(len(instructions), 1, 1, 1),
        tips=torch.zeros(len(instructions), 3),
        instructions=torch.stack([torch.from_numpy(tokenize(text)) for text in instructions]),
    )


@pytest.mark.parametrize("chunk_len", [1, 4])
def test_one_distribution_a_token(chunk_len: int):
    """B observations give logits [B, chunk * 3, 256]."""
    logits = Policy(chunk_len)(observations("touch the red block", "push the red block away"))

    assert logits.shape == (2, chunk_len * 3, NUM_BINS)


def test_the_policy_is_tiny():
    """Below a million parameters, so that it trains on two cores."""
    assert sum(parameter.numel() for parameter in Policy(4).parameters()) < 1_000_000


def test_language_changes_what_the_policy_does():
    """The same picture and another colour give another distribution."""
    torch.manual_seed(0)
    red, blue = Policy(4)(observations("touch the red block", "touch the blue block")).softmax(dim=-1)

    assert (red - blue).abs().sum(dim=-1).max() > 1e-3


def test_a_fresh_head_prefers_neighbours_alike():
    """Before any training the logits are a discretised Gaussian: one peak, falling on both sides."""
    logits = Policy(4)(observations("touch the red block"))[0]
    slope_changes = (logits.diff(dim=-1) < 0).int().diff(dim=-1)

    assert (slope_changes >= 0).all()


def test_log_probs_are_those_of_the_temperature():
    """Logits 0 and ln 4 have odds of 4 at temperature 1 and of 2 at temperature 2."""
    logits = torch.tensor([[[1.0, 4.0]]]).log()
    log_probs = token_log_probs(logits, torch.tensor([[1]]), temperature=2.0)

    assert log_probs.exp().item() == pytest.approx(2 / 3)


def test_sampling_repeats_with_its_generator():
    """The same seed draws the same tokens."""
    logits = Policy(4)(observations("touch the red block"))
    draws = [sample_tokens(logits, temperature=1.0, generator=torch.Generator().manual_seed(7)) for _ in range(2)]

    assert torch.equal(*draws)


@given(st.floats(-1.0, 1.0))
def test_tokens_keep_an_action_within_half_a_bin(action: float):
    """Encoding then decoding moves an action by at most 1/256."""
    decoded = decode(encode(torch.tensor([action])))

    assert abs(decoded.item() - action) <= 1.0 / NUM_BINS + 1e-6


def test_actions_beyond_the_range_go_to_the_outermost_bins():
    """-2 and 2 become the first and the last token."""
    assert encode(torch.tensor([-2.0, 2.0])).tolist() == [0, NUM_BINS - 1]


@given(st.floats(-0.5, 0.5))
def test_smoothed_labels_are_centred_on_the_action(action: float):
    """A probability over bins whose mean is the action."""
    target = smoothed_targets(torch.tensor(action), smoothing_bins=8.0)

    assert target.sum().item() == pytest.approx(1.0, abs=1e-5)
    assert (target * bin_centers()).sum().item() == pytest.approx(action, abs=1e-3)


def test_imitation_is_best_when_the_logits_are_the_label():
    """The label's own logits have a smaller loss than any shifted ones."""
    action = torch.tensor([[0.25]])
    label = smoothed_targets(action, smoothing_bins=8.0).clamp(min=1e-9).log()

    exact = imitation_loss(label, action, smoothing_bins=8.0)
    shifted = imitation_loss(label.roll(3, dims=-1), action, smoothing_bins=8.0)

    assert exact < shifted
