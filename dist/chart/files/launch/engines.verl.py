"""The seeds' tree, PRIME-RL/SimpleVLA-RL."""

from typing import Any

from ..attempt import Attempt
from ..run_config import RunConfig
from .engine import Engine, shared_keys


def _derived(config: RunConfig, attempt: Attempt) -> dict[str, Any]:
    return {
        **shared_keys(config),
        "trainer.default_local_dir": f"{attempt.folder}/checkpoints",
        # The tree divides it by the world size and asserts that 1 is left.
        "actor_rollout_ref.actor.ppo_micro_batch_size": config.world_size,
    }


VERL = Engine(program=("python3", "-u", "-m", "verl.trainer.main_ppo"), derived=_derived)
