"""`training.hydra`: what the chart knows of the engines' own keys.

The native engine's keys are all here, as its own configuration has them (tests/contract holds both together): a wrong
key or type is refused before anything is installed. values/verl.py knows those of the engine verl; rlinf takes any key
but those of verl that have no counterpart there, see rules/rlinf.py.
"""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field

from rlinf_charts.values import verl
from rlinf_constructs.helm import schema


class HydraSection(BaseModel):
    """A group of Hydra keys, in the engine's own spelling."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Data(HydraSection):
    """Episodes: which, and how many."""

    task_suite_name: Literal["touch_push", "touch", "push"] = Field(default="touch_push", description="The tasks.")
    train_batch_size: int = Field(default=16, description="Groups a step, over all ranks.", ge=1)
    n_samples: int = Field(default=8, description="Episodes a group, all of the same scene and task.", ge=2)
    filter_accuracy: bool = Field(default=True, description="Drop groups whose success rate is outside the two bounds.")
    accuracy_lower_bound: float = Field(default=0.1, description="The lower of these bounds.", ge=0, le=1)
    accuracy_upper_bound: float = Field(default=0.9, description="The upper one.", ge=0, le=1)
    max_num_gen_batches: int = Field(default=3, description="Rollout rounds a step to replace dropped groups.", ge=1)
    val_batch_size: int = Field(default=204, description="Held-out episodes a validation.", ge=1)


class Model(HydraSection):
    """The policy."""

    path: str = Field(default="${trainer.default_local_dir}/sft", description="Where training starts.")
    action_token_len: Literal[3] = Field(default=3, description="Tokens of one action.")
    action_chunks_len: Literal[1, 2, 4, 8, 16] = Field(
        default=4, description="Control steps that one forward pass plans."
    )


class Optimizer(HydraSection):
    """AdamW."""

    lr: float = Field(default=3.0e-4, description="The learning rate at the start.", gt=0)
    min_lr_ratio: float = Field(default=0.1, description="The learning rate falls linearly to this share.", ge=0, le=1)
    weight_decay: float = Field(default=0.01, description="Decoupled weight decay.", ge=0)


class Actor(HydraSection):
    """The update."""

    ppo_mini_batch_size: int = Field(default=64, description="Trajectories an optimizer step, over all ranks.", ge=1)
    ppo_micro_batch_size: int = Field(default=64, description="Trajectories a backward pass, over all ranks.", ge=1)
    ppo_epochs: int = Field(default=1, description="Passes over a step's trajectories.", ge=1)
    clip_ratio_low: float = Field(default=0.2, description="Ratios below 1 - this are clipped.", ge=0, le=1)
    clip_ratio_high: float = Field(default=0.28, description="Ratios above 1 + this are clipped.", ge=0)
    grad_clip: float = Field(default=1.0, description="Largest norm of the gradient.", gt=0)
    optim: Optimizer = Field(default=Optimizer(), description="AdamW.")


class Rollout(HydraSection):
    """How the policy acts."""

    temperature: float = Field(default=1.0, description="Of sampling; validation is greedy.", gt=0)
    num_env_workers: int = Field(default=1, description="Environment processes a rank.", ge=1)


class ActorRollout(HydraSection):
    """The policy and what is done with it; the name is verl's."""

    model: Model = Field(default=Model(), description="The policy.")
    actor: Actor = Field(default=Actor(), description="The update.")
    rollout: Rollout = Field(default=Rollout(), description="How the policy acts.")


class Algorithm(HydraSection):
    """How advantages are estimated."""

    adv_estimator: Literal["grpo"] = Field(default="grpo", description="Group-normalised advantages.")


class Sft(HydraSection):
    """The start from demonstrations of a robot with a mis-calibrated tool."""

    demonstrations_per_task: int = Field(default=150, description="Scripted episodes a task.", ge=1)
    tool_offset_m: list[float] = Field(
        default=[0.024, -0.015],
        description="Error of the tool's calibration in x and y, in metres.",
        min_length=2,
        max_length=2,
    )
    action_noise: float = Field(default=0.12, description="Standard deviation of executed actions.", ge=0)
    chunk_noise: float = Field(default=0.08, description="The same, shared by a chunk's actions.", ge=0)
    steps: int = Field(default=800, description="Optimizer steps.", ge=1)
    batch_size: int = Field(default=32, description="States a step, over all ranks.", ge=1)
    lr: float = Field(default=3.0e-3, description="The learning rate at the start; falls linearly to 0.", gt=0)
    smoothing_bins: float = Field(default=8.0, description="Spread of the labels over neighbouring bins.", gt=0)


class Trainer(HydraSection):
    """The run. What the cluster determines is derived, and need not be set."""

    project_name: str = Field(default="rlinf", description="Derived: rlinf.")
    experiment_name: str = Field(default="smoke", description="Derived: the release's full name.")
    default_local_dir: str = Field(
        default="runs/${trainer.experiment_name}", description="Derived: the run folder, for all that a run writes."
    )
    nnodes: int = Field(default=1, description="Derived: nodes.count.", ge=1)
    n_gpus_per_node: int = Field(default=0, description="Derived: nodes.gpus.", ge=0)
    total_epochs: int = Field(default=30, description="An epoch is one step.", ge=1)
    val_before_train: bool = Field(default=True, description="Validate before the first step.")
    val_only: bool = Field(default=False, description="Validate, and train nothing.")
    test_freq: int = Field(default=5, description="Steps between validations; -1: only before and after.", ge=-1)
    save_freq: int = Field(default=10, description="Steps between checkpoints; -1: only the last.", ge=-1)
    max_actor_ckpt_to_keep: int = Field(default=2, description="Checkpoints to keep.", ge=1)
    resume_mode: Literal["auto", "disable"] = Field(
        default="auto",
        description="auto: go on from the newest complete checkpoint; disable: set earlier results aside.",
    )
    seed: int = Field(default=0, description="Of scenes, tasks and sampling.", ge=0, le=(1 << 20) - 1)
    placement_timeout_s: float = Field(default=300, description="Wait for a place for every rank.", gt=0)


class NativeHydra(HydraSection):
    """All keys of the native engine with their defaults."""

    data: Data = Field(default=Data(), description="Episodes.")
    actor_rollout_ref: ActorRollout = Field(default=ActorRollout(), description="The policy and its training.")
    algorithm: Algorithm = Field(default=Algorithm(), description="The algorithm.")
    sft: Sft = Field(default=Sft(), description="The start from demonstrations.")
    trainer: Trainer = Field(default=Trainer(), description="The run.")


def constrain(values_schema: dict[str, Any]) -> None:
    """Add to the schema of the values what an engine's keys may be."""
    training = values_schema["properties"]["training"]
    training["properties"]["hydra"].update(_SECTIONS)
    by_engine = {"native": _also_as_text(schema.partial_schema(NativeHydra)), "verl": verl.hydra_schema()}
    training["allOf"] = [
        {"if": {"properties": {"engine": {"const": engine}}}, "then": {"properties": {"hydra": keys}}}
        for engine, keys in by_engine.items()
    ]


def _also_as_text(node: Any) -> Any:
    """Let numbers be texts, too: helm's `--set` knows whole numbers only and hands 0.001 on as a text."""
    if isinstance(node, list):
        return [_also_as_text(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    result = {key: _also_as_text(value) for key, value in cast("dict[str, Any]", node).items()}
    if result.get("type") == "number":
        sign = "-?" if result.get("minimum", result.get("exclusiveMinimum", -1)) < 0 else ""
        result |= {"type": ["number", "string"], "pattern": rf"^{sign}[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$"}
    return result


def _map_of(**sections: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": sections}


# Whatever the engine, these are groups of keys; the rules look into them.
_SECTIONS = _map_of(
    data=_map_of(),
    actor_rollout_ref=_map_of(model=_map_of(), actor=_map_of(), rollout=_map_of(), ref=_map_of()),
    algorithm=_map_of(),
    trainer=_map_of(),
    # RLinf's.
    actor=_map_of(),
    cluster=_map_of(num_nodes={"type": "integer", "minimum": 1, "maximum": 2**31 - 1}),
    env=_map_of(train=_map_of(), eval=_map_of()),
    runner=_map_of(),
)
