"""A policy on disk: `actor_rollout_ref.model.path`, and `policy/` in every checkpoint.

<path>/config.json          {"action_chunks_len": 4, "action_token_len": 3, "num_bins": 256}
<path>/model.safetensors    full weights, float32
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from safetensors.torch import load_file, save_file

from rlinf_runtime.trainer.action_tokens import NUM_BINS
from rlinf_runtime.trainer.errors import ConfigError
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor


def save_policy(path: Path, weights: dict[str, Tensor], *, action_chunks_len: int) -> None:
    """Writes a policy; the folder appears under its name only when it is complete."""
    partial = path.with_name(path.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_file(weights, partial / "model.safetensors")
    (partial / "config.json").write_text(json.dumps(_description(action_chunks_len), indent=2) + "\n")
    partial.replace(path)


def load_policy_weights(path: Path, *, action_chunks_len: int) -> dict[str, Tensor]:
    """Reads full weights by parameter name.

    Raises:
        ConfigError: the folder is no policy, or one of another shape.
    """
    try:
        found = json.loads((path / "config.json").read_text())
        weights = load_file(path / "model.safetensors")
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"actor_rollout_ref.model.path={path} is no policy folder ({error}); name one that has config.json and "
            "model.safetensors, or a path that does not exist yet, and the start from demonstrations is made there"
        ) from error
    expected = _description(action_chunks_len)
    if found != expected:
        raise ConfigError(
            f"actor_rollout_ref.model.path={path} holds a policy of another shape, {found}, and this run wants "
            f"{expected}; set actor_rollout_ref.model.action_chunks_len to match, or another path"
        )
    return weights


def _description(action_chunks_len: int) -> dict[str, int]:
    return {
        "action_chunks_len": action_chunks_len,
        "action_token_len": ACTION_TOKEN_LEN,
        "num_bins": NUM_BINS,
    }
