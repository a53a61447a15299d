"""A policy on disk: what `actor_rollout_ref.model.path` names, and `policy/` in every checkpoint.

<path>/config.json          {"action_chunks_len": 4, "action_token_len": 3, "num_bins": 256}, for people
<path>/model.safetensors    full weights, float32
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from rlinf_runtime.trainer.action_tokens import NUM_BINS
from rlinf_runtime.trainer.errors import ConfigError
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor


def save_policy(path: Path, weights: dict[str, Tensor], *, action_chunks_len: int) -> None:
    """Writes a policy; the folder appears under its name only when it is complete."""
    partial = path.with_name(path.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    save_file(weights, partial / "model.safetensors")
    description = {
        "action_chunks_len": action_chunks_len,
        "action_token_len": ACTION_TOKEN_LEN,
        "num_bins": NUM_BINS,
    }
    (partial / "config.json").write_text(json.dumps(description, indent=2) + "\n")
    partial.replace(path)


def load_policy_weights(path: Path, like: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Reads full weights by parameter name.

    Args:
        path: the policy folder.
        like: the weights of a policy of this run; those on disk must have the same names and shapes.

    Raises:
        ConfigError: the folder is no policy, or one of another shape.
    """
    try:
        weights = load_file(path / "model.safetensors")
    except (OSError, SafetensorError) as error:
        raise ConfigError(
            f"actor_rollout_ref.model.path={path} is no policy folder ({error}); name one that has "
            "model.safetensors, or a path that does not exist yet, and the start from demonstrations is made there"
        ) from error
    for name in sorted(weights.keys() | like.keys()):
        found, expected = (list(group[name].shape) if name in group else "absent" for group in (weights, like))
        if found != expected:
            raise ConfigError(
                f"actor_rollout_ref.model.path={path} holds a policy of another shape: {name} is {found} there and "
                f"{expected} in this run; set actor_rollout_ref.model.action_chunks_len to match, or another path"
            )
    return weights
