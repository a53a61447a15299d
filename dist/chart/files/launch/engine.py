"""The engines as data: the program, and the keys that the cluster determines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import hydra
from .run_config import EngineName, RunConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """A training program with a Hydra command line.

    Attributes:
        program: the command up to the overrides.
        derived: dotted keys that follow from the cluster, so that nobody types them twice.
    """

    program: tuple[str, ...]
    derived: Callable[[RunConfig], Mapping[str, Any]]


def _shared_keys(config: RunConfig) -> dict[str, Any]:
    return {
        "trainer.nnodes": config.nodes.count,
        "trainer.n_gpus_per_node": config.nodes.gpus,
        "trainer.project_name": "rlinf",
        "trainer.experiment_name": config.name,
    }


def _native_keys(config: RunConfig) -> dict[str, Any]:
    return {**_shared_keys(config), "trainer.default_local_dir": config.folder}


def _verl_keys(config: RunConfig) -> dict[str, Any]:
    return {
        **_shared_keys(config),
        "trainer.default_local_dir": f"{config.folder}/checkpoints",
        # The tree divides it by the world size and asserts that 1 is left.
        "actor_rollout_ref.actor.ppo_micro_batch_size": config.world_size,
    }


ENGINES: Mapping[EngineName, Engine] = {
    "native": Engine(program=("python3", "-u", "-m", "rlinf_runtime.trainer"), derived=_native_keys),
    "verl": Engine(program=("python3", "-u", "-m", "verl.trainer.main_ppo"), derived=_verl_keys),
}


def command(config: RunConfig) -> tuple[str, ...]:
    """The engine's full command; the user's value for a derived key wins.

    Raises:
        BootstrapError: (`CONFIG`) Hydra's grammar cannot say a key or a value of `engine.hydra`.
    """
    engine = ENGINES[config.engine.name]
    given = hydra.flatten(config.engine.hydra)
    named = {key.lstrip("+") for key in given}
    derived = {key: value for key, value in engine.derived(config).items() if key not in named}
    return (*engine.program, *hydra.overrides({**derived, **given}))
