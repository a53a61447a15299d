"""Policies on disk."""

from pathlib import Path

import pytest
import torch

from rlinf_runtime.trainer.errors import ConfigError
from rlinf_runtime.trainer.model_folder import load_policy_weights, save_policy
from rlinf_runtime.trainer.policy import Policy


def test_weights_come_back(tmp_path: Path):
    """What was saved is what is loaded, and no half-written folder stays."""
    weights = Policy(4).state_dict()
    save_policy(tmp_path / "sft", weights, action_chunks_len=4)
    loaded = load_policy_weights(tmp_path / "sft", like=weights)

    assert all(torch.equal(loaded[name], weights[name]) for name in weights)
    assert [path.name for path in tmp_path.iterdir()] == ["sft"]


def test_a_policy_of_another_shape_is_refused(tmp_path: Path):
    """The text names the path, the first weight that differs, and the key to set."""
    save_policy(tmp_path / "sft", Policy(8).state_dict(), action_chunks_len=8)

    with pytest.raises(ConfigError) as refusal:
        load_policy_weights(tmp_path / "sft", like=Policy(4).state_dict())
    assert str(refusal.value) == (
        f"actor_rollout_ref.model.path={tmp_path}/sft holds a policy of another shape: gaussian.bias is [48] there "
        "and [24] in this run; set actor_rollout_ref.model.action_chunks_len to match, or another path"
    )


def test_a_folder_that_is_no_policy_is_refused(tmp_path: Path):
    """The text says what the folder must have."""
    with pytest.raises(ConfigError, match=r"is no policy folder .* name one that has model\.safetensors, or a path"):
        load_policy_weights(tmp_path, like={})
