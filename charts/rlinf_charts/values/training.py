"""`training`: the engine and its configuration."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rlinf_charts.values.section import ABSOLUTE_PATH, OPTIONAL_ABSOLUTE_PATH, Section


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


# The bootstrap's patches/registry.py has each; tests/contract holds both together.
PatchName = Literal[
    "config-json",
    "environment-failure",
    "epoch-end",
    "filter-truncated",
    "filter-warmup",
    "flash-attn-bert-padding",
    "flash-attn-cross-entropy",
    "initial-states",
    "initial-states-file",
    "render-device",
    "loggers",
    "lora-save",
    "model-path",
    "modeling-files",
    "no-filter",
    "node-wait",
    "placement",
    "ray-start",
    "runtime-env-file",
    "tensorflow-images",
    "validation-frequency",
    "validation-only",
    "validation-videos",
    "vllm-version",
]


class Patches(Section):
    """Cures of known faults, applied to the engines verl and rlinf as they are imported."""

    skip: list[PatchName] = Field(
        default_factory=list[PatchName],
        description="Names of patches that are not applied; docs/discoveries.md says what each cures.",
    )


class RlinfEngine(Section):
    """Which of RLinf's configurations the engine rlinf starts from."""

    config_folder: str = Field(
        default="",
        description="Folder of the configurations. Empty: examples/embodiment/config of training.code.",
        pattern=OPTIONAL_ABSOLUTE_PATH,
    )
    config_name: str = Field(
        default="",
        description="Name of the configuration without .yaml, such as libero_10_grpo_openvlaoft.",
        pattern=r"^([A-Za-z0-9_-]+)?$",
    )


class Watchdog(Section):
    """Ends a run that gets nowhere and would occupy its nodes for ever, with the reason; 0 turns a limit off."""

    epochs_without_update: int = Field(
        default=2,
        description="Passes over the training data that bring no update, since the filter keeps too few rollouts. "
        "Only engine verl goes on without a word then.",
        ge=0,
    )
    step_minutes: int = Field(
        default=180,
        description="Minutes without a sign of progress: rollouts, a step, a validation, a checkpoint. "
        "A step of batch 64 takes about 45 minutes on 8 A800; raise this for fewer GPUs or larger batches.",
        ge=0,
    )


class Training(Section):
    """What is trained, and how."""

    engine: Literal["native", "verl", "rlinf"] = Field(
        default="native",
        description="native: the FSDP2 GRPO trainer of this project. verl: PRIME-RL/SimpleVLA-RL. "
        "rlinf: RLinf/RLinf v0.3.",
    )
    code: str = Field(
        default="",
        description="Folder of the engine's source tree in the image or on a volume, the same on every node. "
        "Empty: the engine is installed in the image.",
        pattern=OPTIONAL_ABSOLUTE_PATH,
    )
    rlinf: RlinfEngine = Field(default_factory=RlinfEngine, description="What the engine rlinf starts from.")
    patches: Patches = Field(default_factory=Patches, description="Cures of known faults of the engines.")
    hydra: dict[str, Any] = Field(
        default_factory=dict[str, Any],
        description="The engine's own Hydra keys, nested, as in --set training.hydra.data.n_samples=16. "
        "What the cluster determines (trainer.nnodes, trainer.n_gpus_per_node, paths, names) is derived, and "
        'wins only where you do not set it. Write null as the string "null": Helm drops a key that is null.',
    )
    resume: str = Field(
        default="auto",
        description="What each start of the engine goes on from, after a lost pod, an upgrade or a new release with "
        "this run folder. auto: the newest complete checkpoint there of the same model. never: the model that "
        "training.hydra names. A checkpoint's absolute path: that one, and later what was trained from it.",
        pattern=rf"^(auto|never|{ABSOLUTE_PATH.strip('^$')})$",
    )
    keep_checkpoints: int = Field(
        default=0,
        description="How many complete checkpoints of engines verl and rlinf stay in the run folder, over all starts. "
        "0: all of them; one of OpenVLA takes about 30 GB. native has trainer.max_actor_ckpt_to_keep.",
        ge=0,
    )
    videos: str = Field(
        default="",
        description="Folder for the engine verl's videos of validation, one of each trial, by experiment and step, "
        "such as /runs/videos on the volume of the run folders. Empty: none, since they soon fill a disk.",
        pattern=OPTIONAL_ABSOLUTE_PATH,
    )
    watchdog: Watchdog = Field(default_factory=Watchdog, description="Ends a run that gets nowhere.")
    deadlines: Deadlines = Field(default_factory=Deadlines, description="How long a pod waits before it gives up.")
