"""What rules ask of an engine's keys, in generated values: what must be set, and sizes that divide each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True, kw_only=True)
class EngineValues:
    """Values that an engine needs beside generated ones, and strategies by dotted key for what chance seldom gives."""

    needs: dict[str, Any]
    pieces: dict[str, st.SearchStrategy[Any]] = field(default_factory=dict)


_SIZE = st.sampled_from([64, 128, 256])
_ACTOR = "training.hydra.actor_rollout_ref.actor"
_ROLLOUT = "training.hydra.actor_rollout_ref.rollout"
_MODEL = "training.hydra.actor_rollout_ref.model"
_TRIALS = "training.hydra.data.num_trials_per_task"

# With 64 ranks at most, each a power of two, every size divides what it has to divide.
_SIZES = {
    "training.hydra.data.train_batch_size": _SIZE,
    "training.hydra.data.n_samples": st.sampled_from([8, 16, 32]),
    f"{_ACTOR}.ppo_mini_batch_size": _SIZE,
}
_BOUNDS = {
    "training.hydra.data.accuracy_lower_bound": st.sampled_from([0.0, 0.1]),
    "training.hydra.data.accuracy_upper_bound": st.sampled_from([0.9, 1.0]),
}

ENGINES = {
    "native": EngineValues(
        needs={"training": {"engine": "native"}},
        pieces={
            **_SIZES,
            **_BOUNDS,
            "training.resume": st.sampled_from(["auto", "never"]),
            "training.hydra.sft.batch_size": _SIZE,
            f"{_ACTOR}.ppo_micro_batch_size": st.just(64),
            "training.hydra.trainer.save_freq": st.sampled_from([-1, 1, 20]),
            "training.hydra.trainer.test_freq": st.sampled_from([-1, 1, 20]),
        },
    ),
    "verl": EngineValues(
        needs={
            "training": {"engine": "verl", "hydra": {"actor_rollout_ref": {"model": {"path": "/models/vla"}}}},
        },
        pieces={
            **_SIZES,
            **_BOUNDS,
            "training.hydra.data.task_suite_name": st.sampled_from(["libero_10", "libero_90", "robotwin2_handover"]),
            _TRIALS: st.just(50),
            "training.hydra.data.oversample_factor": st.sampled_from([1.0, 1]),
            "training.hydra.data.val_batch_size": _SIZE,
            "training.hydra.data.filter_truncated": st.just(False),
            f"{_MODEL}.action_chunks_len": st.just(8),
            f"{_MODEL}.action_token_len": st.just(7),
            f"{_ACTOR}.traj_mini_batch_size": st.sampled_from([1, 2, 16, 64]),
            # One a rank: chance may give one rank.
            f"{_ACTOR}.ppo_micro_batch_size": st.just(1),
            f"{_ACTOR}.ulysses_sequence_parallel_size": st.just(1),
            f"{_ACTOR}.use_dynamic_bsz": st.just(False),
            f"{_ROLLOUT}.log_prob_use_dynamic_bsz": st.just(False),
            "training.hydra.actor_rollout_ref.ref.log_prob_use_dynamic_bsz": st.just(False),
            f"{_ROLLOUT}.tensor_model_parallel_size": st.just(1),
            f"{_ROLLOUT}.name": st.just("hf"),
            f"{_ROLLOUT}.log_prob_micro_batch_size": _SIZE,
            "training.hydra.actor_rollout_ref.ref.log_prob_micro_batch_size": _SIZE,
            f"{_ROLLOUT}.micro_batch_size": st.sampled_from([1, 2, 4]),
            f"{_ROLLOUT}.val_micro_batch_size": st.sampled_from([1, 2, 4]),
            "training.hydra.trainer.runtime_env": st.just(""),
            "training.hydra.trainer.default_local_dir": st.just(""),
        },
    ),
    "rlinf": EngineValues(
        needs={
            "training": {
                "engine": "rlinf",
                "code": "/code/RLinf",
                "rlinf": {"configName": "libero_10_grpo_openvlaoft"},
            },
            "kuberay": {"head": {"separate": False}},
        },
    ),
}
