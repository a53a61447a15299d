"""`training`: the engine and its configuration."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rlinf_charts.values.section import Section


class Deadlines(Section):
    """How long a pod waits before it gives up with a reason."""

    start_seconds: int = Field(default=120, description="Ray's own start in a pod.", ge=1)
    join_seconds: int = Field(
        default=900,
        description="The wait for the head and for every node; scaling up a node group takes minutes.",
        ge=1,
    )
    stop_seconds: int = Field(
        default=60,
        description="From SIGTERM to the end of the last process; the engine saves a checkpoint in this time.",
        ge=1,
    )


class Training(Section):
    """What is trained, and how."""

    engine: Literal["native", "verl"] = Field(
        default="native",
        description="native: the FSDP2 GRPO trainer of this project. verl: python -m verl.trainer.main_ppo.",
    )
    hydra: dict[str, Any] = Field(
        default_factory=dict[str, Any],
        description="The engine's own Hydra keys, nested, as in --set training.hydra.data.n_samples=16.\n"
        "What the cluster determines (trainer.nnodes, trainer.n_gpus_per_node, paths, names) is derived, and\n"
        'wins only where you do not set it. Write null as the string "null": Helm drops a key that is null.',
    )
    deadlines: Deadlines = Field(default_factory=Deadlines, description="How long a pod waits before it gives up.")
