"""What the bootstrap knows of an engine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..attempt import Attempt
from ..run_config import RunConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Engine:
    """A training program with a Hydra command line.

    Attributes:
        program: the command up to the overrides.
        derived: dotted keys that follow from the cluster and the attempt, so that nobody types them twice.
    """

    program: tuple[str, ...]
    derived: Callable[[RunConfig, Attempt], Mapping[str, Any]]


def shared_keys(config: RunConfig) -> dict[str, Any]:
    """Keys that the native engine has under verl's names."""
    return {
        "trainer.nnodes": config.nodes.count,
        "trainer.n_gpus_per_node": config.nodes.gpus,
        "trainer.project_name": "rlinf",
        "trainer.experiment_name": config.name,
    }
