"""The composed configuration as frozen dataclasses that check themselves; `train.yaml` explains every key.

Config
├── data               DataConfig
├── actor_rollout_ref  ActorRolloutConfig
│   ├── model          ModelConfig
│   ├── actor          ActorConfig ── optim: OptimizerConfig
│   └── rollout        RolloutConfig
├── algorithm          AlgorithmConfig
├── sft                SftConfig
└── trainer            RunConfig
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rlinf_runtime.trainer.config.rules import above, at_least, between, divides, multiple_of, one_of, period
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN, HORIZON_STEPS, SUITES, Task


@dataclass(frozen=True, kw_only=True, slots=True)
class DataConfig:
    """Episodes: which, and how many."""

    task_suite_name: str
    train_batch_size: int
    n_samples: int
    filter_accuracy: bool
    accuracy_lower_bound: float
    accuracy_upper_bound: float
    max_num_gen_batches: int
    val_batch_size: int

    def __post_init__(self) -> None:
        one_of("data.task_suite_name", self.task_suite_name, SUITES)
        at_least("data.train_batch_size", self.train_batch_size, 1)
        at_least("data.n_samples", self.n_samples, 2)
        between("data.accuracy_lower_bound", self.accuracy_lower_bound, 0.0, self.accuracy_upper_bound)
        between("data.accuracy_upper_bound", self.accuracy_upper_bound, self.accuracy_lower_bound, 1.0)
        at_least("data.max_num_gen_batches", self.max_num_gen_batches, 1)
        at_least("data.val_batch_size", self.val_batch_size, 1)

    @property
    def suite(self) -> tuple[Task, ...]:
        """The tasks of the chosen suite."""
        return SUITES[self.task_suite_name]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelConfig:
    """The policy."""

    path: str
    action_token_len: int
    action_chunks_len: int

    def __post_init__(self) -> None:
        one_of("actor_rollout_ref.model.action_token_len", self.action_token_len, (ACTION_TOKEN_LEN,))
        at_least("actor_rollout_ref.model.action_chunks_len", self.action_chunks_len, 1)
        divides(
            "actor_rollout_ref.model.action_chunks_len",
            self.action_chunks_len,
            HORIZON_STEPS,
            what="the control steps of an episode",
        )

    @property
    def folder(self) -> Path:
        """The policy folder, absolute: ranks run in other working directories."""
        return Path(self.path).resolve()


@dataclass(frozen=True, kw_only=True, slots=True)
class OptimizerConfig:
    """AdamW in the GRPO phase."""

    lr: float
    min_lr_ratio: float
    weight_decay: float

    def __post_init__(self) -> None:
        above("actor_rollout_ref.actor.optim.lr", self.lr, 0.0)
        between("actor_rollout_ref.actor.optim.min_lr_ratio", self.min_lr_ratio, 0.0, 1.0)
        at_least("actor_rollout_ref.actor.optim.weight_decay", self.weight_decay, 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ActorConfig:
    """The update."""

    ppo_mini_batch_size: int
    ppo_micro_batch_size: int
    ppo_epochs: int
    clip_ratio_low: float
    clip_ratio_high: float
    grad_clip: float
    optim: OptimizerConfig

    def __post_init__(self) -> None:
        at_least("actor_rollout_ref.actor.ppo_mini_batch_size", self.ppo_mini_batch_size, 1)
        at_least("actor_rollout_ref.actor.ppo_micro_batch_size", self.ppo_micro_batch_size, 1)
        divides(
            "actor_rollout_ref.actor.ppo_micro_batch_size",
            self.ppo_micro_batch_size,
            self.ppo_mini_batch_size,
            what="actor_rollout_ref.actor.ppo_mini_batch_size",
        )
        at_least("actor_rollout_ref.actor.ppo_epochs", self.ppo_epochs, 1)
        between("actor_rollout_ref.actor.clip_ratio_low", self.clip_ratio_low, 0.0, 1.0)
        at_least("actor_rollout_ref.actor.clip_ratio_high", self.clip_ratio_high, 0.0)
        above("actor_rollout_ref.actor.grad_clip", self.grad_clip, 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class RolloutConfig:
    """How the policy acts."""

    temperature: float
    num_env_workers: int

    def __post_init__(self) -> None:
        above("actor_rollout_ref.rollout.temperature", self.temperature, 0.0)
        at_least("actor_rollout_ref.rollout.num_env_workers", self.num_env_workers, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class ActorRolloutConfig:
    """The policy and what is done with it; the name is verl's."""

    model: ModelConfig
    actor: ActorConfig
    rollout: RolloutConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class AlgorithmConfig:
    """How advantages are estimated."""

    adv_estimator: str

    def __post_init__(self) -> None:
        one_of("algorithm.adv_estimator", self.adv_estimator, ("grpo",))


@dataclass(frozen=True, kw_only=True, slots=True)
class SftConfig:
    """The start from demonstrations."""

    demonstrations_per_task: int
    tool_offset_m: tuple[float, float]
    action_noise: float
    chunk_noise: float
    steps: int
    batch_size: int
    lr: float
    smoothing_bins: float

    def __post_init__(self) -> None:
        at_least("sft.demonstrations_per_task", self.demonstrations_per_task, 1)
        at_least("sft.action_noise", self.action_noise, 0.0)
        at_least("sft.chunk_noise", self.chunk_noise, 0.0)
        at_least("sft.steps", self.steps, 1)
        at_least("sft.batch_size", self.batch_size, 1)
        above("sft.lr", self.lr, 0.0)
        above("sft.smoothing_bins", self.smoothing_bins, 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunConfig:
    """The run: where, how long, how often."""

    project_name: str
    experiment_name: str
    default_local_dir: str
    nnodes: int
    n_gpus_per_node: int
    total_epochs: int
    val_before_train: bool
    val_only: bool
    test_freq: int
    save_freq: int
    max_actor_ckpt_to_keep: int
    resume_mode: str
    seed: int
    placement_timeout_s: float

    def __post_init__(self) -> None:
        at_least("trainer.nnodes", self.nnodes, 1)
        at_least("trainer.n_gpus_per_node", self.n_gpus_per_node, 0)
        at_least("trainer.total_epochs", self.total_epochs, 1)
        period("trainer.test_freq", self.test_freq)
        period("trainer.save_freq", self.save_freq)
        at_least("trainer.max_actor_ckpt_to_keep", self.max_actor_ckpt_to_keep, 1)
        one_of("trainer.resume_mode", self.resume_mode, ("auto", "disable"))
        between("trainer.seed", self.seed, 0, (1 << 20) - 1)
        above("trainer.placement_timeout_s", self.placement_timeout_s, 0.0)

    @property
    def folder(self) -> Path:
        """The run folder, absolute: ranks run in other working directories."""
        return Path(self.default_local_dir).resolve()

    @property
    def world_size(self) -> int:
        """Ranks of the run: one a GPU, or one a node without GPUs."""
        return self.nnodes * max(self.n_gpus_per_node, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Config:
    """The whole configuration; the rules that cross sections are here."""

    data: DataConfig
    actor_rollout_ref: ActorRolloutConfig
    algorithm: AlgorithmConfig
    sft: SftConfig
    trainer: RunConfig

    def __post_init__(self) -> None:
        ranks = self.trainer.world_size
        ranks_what = "the ranks, trainer.nnodes * max(trainer.n_gpus_per_node, 1)"
        actor = self.actor_rollout_ref.actor
        multiple_of("data.train_batch_size", self.data.train_batch_size, ranks, what=ranks_what)
        multiple_of("actor_rollout_ref.actor.ppo_micro_batch_size", actor.ppo_micro_batch_size, ranks, what=ranks_what)
        multiple_of("sft.batch_size", self.sft.batch_size, ranks, what=ranks_what)
        divides(
            "actor_rollout_ref.actor.ppo_mini_batch_size",
            actor.ppo_mini_batch_size,
            self.data.train_batch_size * self.data.n_samples,
            what="data.train_batch_size * data.n_samples",
        )
