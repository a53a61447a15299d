"""The task suites of SimpleVLA-RL, as its rollout, its data sets and its example scripts know them.

Sources, at commit 7c51662: verl/workers/rollout/rob_rollout.py (steps of an episode), verl/utils/dataset/rob_dataset.py
and the seed files beside verl/utils/envs/robotwin2 (trials), verl/utils/vla_utils/openvla_oft/constants.py (platforms).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Suite:
    """A task suite.

    Attributes:
        max_steps: environment steps of an episode.
        num_tasks: how many tasks it has.
        max_trials: initial states of a task.
        validation_trials: episodes of a task that a validation takes; 0: as many as training.
        platforms: value of ROBOT_PLATFORM by the number of actions that one forward pass plans.
        action_dim: numbers, and so tokens, of one action.
        max_traj_mini_batch: forward passes that the example scripts put into one backward pass, at most.
        unnorm_suffix: what follows the suite's name in the model's statistics.
        defaults: values of keys that the suite's example script sets otherwise.
    """

    max_steps: int
    num_tasks: int
    max_trials: int
    validation_trials: int
    platforms: Mapping[int, str]
    action_dim: int
    max_traj_mini_batch: int
    unnorm_suffix: str
    defaults: Mapping[str, Any]

    def forward_passes(self, chunk: int) -> int:
        """Forward passes of an episode, with this many actions each."""
        return -(-self.max_steps // chunk)

    def validation_episodes(self, trials: int) -> int:
        """Episodes that there are to validate on."""
        return self.num_tasks * (self.validation_trials or trials)


def _libero(num_tasks: int) -> Suite:
    return Suite(
        max_steps=512,
        num_tasks=num_tasks,
        max_trials=50,
        validation_trials=0,
        platforms={8: "LIBERO"},
        action_dim=7,
        max_traj_mini_batch=16,
        unnorm_suffix="",
        defaults={
            "data.num_trials_per_task": 50,
            "actor_rollout_ref.model.action_token_len": 7,
            "actor_rollout_ref.model.action_chunks_len": 8,
            "actor_rollout_ref.rollout.use_proprio": False,
        },
    )


def _robotwin(max_steps: int, seeds: int = 1000) -> Suite:
    return Suite(
        max_steps=max_steps,
        num_tasks=1,
        max_trials=seeds,
        # 128 seeds of the training set and 128 of their own.
        validation_trials=256,
        platforms={25: "ALOHA", 12: "ALOHA_12", 8: "ALOHA_8", 6: "ALOHA_6"},
        action_dim=14,
        max_traj_mini_batch=8,
        unnorm_suffix="_1k",
        defaults={
            "data.num_trials_per_task": min(seeds, 1000),
            "actor_rollout_ref.model.action_token_len": 14,
            "actor_rollout_ref.model.action_chunks_len": 25,
            "actor_rollout_ref.rollout.use_proprio": True,
            "actor_rollout_ref.rollout.twin2_task_config": "demo_randomized",
            "actor_rollout_ref.rollout.twin2_instruction_type": "seen",
        },
    )


_ROBOTWIN = {
    "beat_block_hammer": _robotwin(200),
    "blocks_ranking_rgb": _robotwin(600),
    "click_bell": _robotwin(200),
    "handover_block": _robotwin(400),
    "handover_mic": _robotwin(200),
    "lift_pot": _robotwin(200),
    "move_can_pot": _robotwin(200),
    "move_pillbottle_pad": _robotwin(200),
    "move_stapler_pad": _robotwin(200),
    "pick_dual_bottles": _robotwin(100, seeds=1250),
    "place_a2b_left": _robotwin(200),
    "place_a2b_right": _robotwin(200),
    "place_container_plate": _robotwin(150),
    "place_empty_cup": _robotwin(200),
    "place_mouse_pad": _robotwin(200),
    "place_phone_stand": _robotwin(200),
    "place_shoe": _robotwin(250, seeds=1100),
    "put_bottles_dustbin": _robotwin(800, seeds=996),
    "shake_bottle": _robotwin(75),
    "stack_blocks_two": _robotwin(400),
    "stack_bowls_two": _robotwin(400),
}

SUITES: Mapping[str, Suite] = {
    **{name: _libero(10) for name in ("libero_10", "libero_goal", "libero_object", "libero_spatial")},
    "libero_90": _libero(90),
    **{f"robotwin2_{task}": suite for task, suite in _ROBOTWIN.items()},
}
