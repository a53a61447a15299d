"""#26: flash-attn's cross entropy where it is installed, and its padding where it is not."""

import numpy as np
import pytest

LOGITS = np.log(np.array([[[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]]]))
LABELS = np.array([[0, 2]])


def test_flash_attns_cross_entropy_loses_tokens(engine):
    """The fault: one number for two tokens cannot take their shape."""
    engine.install_flash_attn()
    with pytest.raises(ValueError, match="cannot reshape array of size 1 into shape"):
        engine.load("verl.utils.torch_functional").logprobs_from_logits(LOGITS, LABELS)


def test_log_probabilities_come_from_log_softmax(engine):
    """The cure: one log-probability a token, log p of the label."""
    engine.install_flash_attn()
    module = engine.load("verl.utils.torch_functional", "flash-attn-cross-entropy")
    np.testing.assert_allclose(module.logprobs_from_logits(LOGITS, LABELS), np.log([[0.5, 0.7]]))


def test_without_flash_attn_the_cross_entropy_needs_no_patch(engine):
    """The tree itself falls back then."""
    engine.load("verl.utils.torch_functional", "flash-attn-cross-entropy")
    assert engine.log == ["not needed: flash-attn-cross-entropy (flash-attn has no cross entropy here)"]


@pytest.mark.parametrize("actor", ["dp_actor", "dp_prime", "dp_rob"])
def test_an_actor_needs_no_flash_attn_to_be_imported(engine, actor):
    """What it imports may not be called, and says so."""
    with pytest.raises(ModuleNotFoundError, match="flash_attn"):
        engine.load(f"verl.workers.actor.{actor}")
    module = engine.load(f"verl.workers.actor.{actor}", "flash-attn-bert-padding")
    with pytest.raises(ModuleNotFoundError, match=r"flash_attn\.bert_padding\.pad_input was called, but flash_attn is"):
        module.pad_input()


def test_an_installed_flash_attn_stays(engine):
    """Its own functions are imported."""
    engine.install_flash_attn()
    assert engine.load("verl.workers.actor.dp_rob", "flash-attn-bert-padding").pad_input is print
    assert engine.log == ["not needed: flash-attn-bert-padding (flash-attn is installed)"]
