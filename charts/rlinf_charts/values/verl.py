"""What the chart knows of the keys of SimpleVLA-RL, for `training.hydra`.

The tree ends a run on a key that it does not have, once the pods have got their nodes. So a misspelt one is refused
before; a key with Hydra's + or ~ in front is passed on as it is.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from typing import Any

import yaml

from rlinf_constructs.helm import go

# Hydra itself computes the one and knows the other, which Helm cannot hand on.
_COMPUTED = r"\$\{[ -~]*\}|null"
_NUMBER = r"-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?"
_MARKED = {"^[+~]": {}}

_TYPES: Mapping[str, dict[str, Any]] = {
    "any": {},
    "boolean": {"type": ["boolean", "string"], "pattern": f"^({_COMPUTED})$"},
    "list": {"type": ["array", "string"]},
    # Also as texts: helm's `--set` hands 0.001 on as one.
    "number": {"type": ["number", "string"], "pattern": f"^({_NUMBER}|{_COMPUTED})$"},
    "text": {"type": "string"},
}

_COUNT = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_SWITCH = {"type": "boolean"}
# Small enough that a product with a batch size is still a whole number of 64 bits.
_PLAIN_NUMBER = {
    "type": ["number", "string"],
    "pattern": r"^-?([0-9]{1,9}(\.[0-9]{0,18})?|\.[0-9]{1,18})([eE]-[0-9]{1,2})?$",
    "minimum": -(10**9),
    "maximum": 10**9,
}

# The chart computes with these: they are what they are.
_BY_KEY: Mapping[str, dict[str, Any]] = {
    **dict.fromkeys(
        (
            "data.n_samples",
            "data.num_trials_per_task",
            "data.train_batch_size",
            "data.val_batch_size",
            "actor_rollout_ref.model.action_chunks_len",
            "actor_rollout_ref.model.action_token_len",
            "actor_rollout_ref.actor.ppo_micro_batch_size",
            "actor_rollout_ref.actor.ppo_mini_batch_size",
            "actor_rollout_ref.actor.traj_mini_batch_size",
            "actor_rollout_ref.actor.ulysses_sequence_parallel_size",
            "actor_rollout_ref.ref.log_prob_micro_batch_size",
            "actor_rollout_ref.rollout.log_prob_micro_batch_size",
            "actor_rollout_ref.rollout.micro_batch_size",
            "actor_rollout_ref.rollout.tensor_model_parallel_size",
            "actor_rollout_ref.rollout.val_micro_batch_size",
            "trainer.nnodes",
        ),
        _COUNT,
    ),
    "data.accuracy_lower_bound": _PLAIN_NUMBER,
    "data.accuracy_upper_bound": _PLAIN_NUMBER,
    **dict.fromkeys(
        (
            "data.filter_accuracy",
            "data.filter_truncated",
            "actor_rollout_ref.actor.use_dynamic_bsz",
            "actor_rollout_ref.ref.log_prob_use_dynamic_bsz",
            "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz",
        ),
        _SWITCH,
    ),
    "data.oversample_factor": _PLAIN_NUMBER,
    "trainer.n_gpus_per_node": {**_COUNT, "minimum": 0},
    "trainer.test_freq": {"type": "integer", "minimum": -1, "maximum": 2**31 - 1},
}


def hydra_schema() -> dict[str, Any]:
    """The schema of a map that may set any key of the tree, and with a mark any other."""
    text = (importlib.resources.files("rlinf_charts.values") / "verl_keys.yaml").read_text(encoding="utf-8")
    return _section(yaml.safe_load(text), ())


def _section(keys: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    return {
        # A small section may be a text that refers to another one; rules look into the large ones.
        "type": ["object", "string"] if len(path) > 2 else "object",
        "properties": {key: _key(value, (*path, key)) for key, value in keys.items()},
        "patternProperties": _MARKED,
        "$comment": "any with Hydra's + or ~ in front",
        "additionalProperties": False,
    }


def _key(value: Any, path: tuple[str, ...]) -> dict[str, Any]:
    return _section(value, path) if go.is_map(value) else _BY_KEY.get(".".join(path), _TYPES[value])
