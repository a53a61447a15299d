"""One rank of the run: a Ray actor that owns a shard of the policy and the environments whose episodes it runs.

Trajectories are made, filtered and trained on within a rank; only weights, gradients and summaries cross ranks.
"""

from __future__ import annotations

import logging
import socket
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import ray
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from rlinf_runtime.trainer.advantages import group_advantages
from rlinf_runtime.trainer.environments import Demonstrate, Demonstrations, Environments, Film
from rlinf_runtime.trainer.episodes import Episode, Split, episodes
from rlinf_runtime.trainer.imitation import imitation_loss
from rlinf_runtime.trainer.model_folder import load_policy_weights, save_policy
from rlinf_runtime.trainer.policy import Policy, PolicyInput
from rlinf_runtime.trainer.randomness import Purpose, generator_seed, make_generator
from rlinf_runtime.trainer.report import Clip
from rlinf_runtime.trainer.rollout import greedy, roll_out, sampled
from rlinf_runtime.trainer.sampling import informative_groups
from rlinf_runtime.trainer.sharded_policy import ShardedPolicy
from rlinf_runtime.trainer.trajectories import RolloutSummary, Trajectories, UpdateSummary, join
from rlinf_runtime.trainer.update import TrainingBatch, Updater

if TYPE_CHECKING:
    from rlinf_runtime.trainer.config.schema import Config

_COLLECTIVE_TIMEOUT = timedelta(minutes=10)
_SFT_BETAS = (0.9, 0.999)
_SFT_GRAD_CLIP = 0.3
_GRPO_BETAS = (0.9, 0.95)


class Rank:
    """The methods that the controller calls on all ranks at once."""

    def __init__(self, rank: int, config: Config) -> None:
        logging.basicConfig(level=logging.INFO, format="%(message)s")
        self._rank = rank
        self._config = config
        self._num_ranks = config.trainer.world_size
        self._device = torch.device("cuda", 0) if config.trainer.n_gpus_per_node else torch.device("cpu")
        if self._device.type == "cpu":
            # Ranks share a node's cores with their environments; more threads than cores collapse.
            torch.set_num_threads(1)
        self._environments = Environments(config.actor_rollout_ref.rollout.num_env_workers)
        self._demonstrations: Demonstrations | None = None
        self._batch: TrainingBatch | None = None

    def node_address(self) -> str:
        """The address of the node that this rank is on."""
        return ray.util.get_node_ip_address()

    def rendezvous(self) -> str:
        """An address on this node at which all ranks can meet."""
        with socket.socket() as free:
            free.bind(("", 0))
            return f"tcp://{self.node_address()}:{free.getsockname()[1]}"

    def join(self, address: str) -> None:
        """Meets the other ranks and makes the policy, with the same random weights everywhere."""
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if self._device.type == "cuda" else "gloo",
            init_method=address,
            rank=self._rank,
            world_size=self._num_ranks,
            timeout=_COLLECTIVE_TIMEOUT,
        )
        chunk_len = self._config.actor_rollout_ref.model.action_chunks_len
        self._policy = ShardedPolicy(
            init_device_mesh(self._device.type, (self._num_ranks,)),
            self._device,
            action_chunks_len=chunk_len,
            seed=generator_seed(self._config.trainer.seed, Purpose.WEIGHTS),
        )
        # Acting needs no collectives: every rank acts with a whole copy, at its own pace.
        self._acting_policy = Policy(chunk_len).to(self._device).eval()
        self._updater = Updater(
            self._policy,
            self._config.actor_rollout_ref.actor,
            rank=self._rank,
            temperature=self._config.actor_rollout_ref.rollout.temperature,
            device=self._device,
        )

    # The start from demonstrations.

    def collect_demonstrations(self) -> int:
        """Runs this rank's share of the demonstrations; returns the number of states."""
        suite = self._config.data.suite
        sft = self._config.sft
        indices = range(self._rank, sft.demonstrations_per_task * len(suite), self._num_ranks)
        self._demonstrations = self._environments.demonstrate(
            Demonstrate(
                episodes=tuple(
                    episodes(Split.DEMONSTRATION, suite, run_seed=self._config.trainer.seed, indices=indices)
                ),
                chunk_len=self._config.actor_rollout_ref.model.action_chunks_len,
                tool_offset_m=sft.tool_offset_m,
                action_noise=sft.action_noise,
                chunk_noise=sft.chunk_noise,
            )
        )
        self._policy.begin_phase(lr=sft.lr, betas=_SFT_BETAS, weight_decay=0.01)
        return len(self._demonstrations.images)

    def imitate(self, first_step: int, last_step: int) -> float:
        """Takes the SFT steps first_step ... last_step - 1; returns the loss of the last on this rank."""
        sft = self._config.sft
        demonstrations = self._demonstrations
        assert demonstrations is not None, "collect_demonstrations comes first"
        inputs = PolicyInput(
            images=torch.from_numpy(demonstrations.images),
            tips=torch.from_numpy(demonstrations.tips),
            instructions=torch.from_numpy(demonstrations.instructions),
        )
        actions = torch.from_numpy(demonstrations.actions).flatten(1)
        loss = torch.zeros(())
        for step in range(first_step, last_step):
            generator = make_generator(self._config.trainer.seed, Purpose.IMITATION_BATCHES, step=step, rank=self._rank)
            rows = torch.randint(len(inputs), (sft.batch_size // self._num_ranks,), generator=generator)
            logits = self._policy(inputs[rows].to(self._device))
            loss = imitation_loss(logits, actions[rows].to(self._device), smoothing_bins=sft.smoothing_bins)
            self._policy.backward(loss / self._num_ranks, is_last=True)
            self._policy.step(lr=sft.lr * (1.0 - step / sft.steps), grad_clip=_SFT_GRAD_CLIP)
        return loss.item()

    def save_policy(self, path: str) -> None:
        """Writes the whole weights as a policy folder, from rank 0."""
        weights = self._policy.full_weights()
        if self._rank == 0:
            save_policy(Path(path), weights, action_chunks_len=self._config.actor_rollout_ref.model.action_chunks_len)

    # GRPO.

    def load_policy(self, path: str) -> None:
        """Takes the weights of a policy folder and a fresh optimizer."""
        chunk_len = self._config.actor_rollout_ref.model.action_chunks_len
        self._demonstrations = None
        self._policy.load_full_weights(load_policy_weights(Path(path), action_chunks_len=chunk_len))
        self._begin_grpo()
        self._sync_acting_policy()

    def load_checkpoint(self, state: str) -> None:
        """Takes weights and optimizer of a checkpoint."""
        self._begin_grpo()
        self._policy.load(Path(state))
        self._sync_acting_policy()

    def save_checkpoint(self, folder: str) -> None:
        """Writes this rank's part of a checkpoint."""
        self._policy.save(Path(folder) / "state")
        self.save_policy(str(Path(folder) / "policy"))

    def roll_out(self, step: int) -> RolloutSummary:
        """Runs this rank's groups of a step and keeps those that teach something.

        Dropped groups are replaced in up to `data.max_num_gen_batches` rounds; after that the step makes do.
        """
        data = self._config.data
        groups_wanted = data.train_batch_size // self._num_ranks
        generator = make_generator(
            self._config.trainer.seed, Purpose.ACTIONS, step=step, rank=self._rank, device=self._device
        )
        kept: list[Trajectories] = []
        summary = RolloutSummary(num_episodes=0, num_successes=0, num_groups=0, num_groups_kept=0, num_env_steps=0)
        for round_index in range(data.max_num_gen_batches):
            first = (step * data.max_num_gen_batches + round_index) * data.train_batch_size
            trajectories = self._roll_out_groups(first + self._rank * groups_wanted, groups_wanted, generator)
            groups = self._informative(trajectories)
            kept.append(trajectories.select(_episodes_of_groups(groups, data.n_samples)))
            summary += RolloutSummary(
                num_episodes=len(trajectories.success),
                num_successes=int(trajectories.success.sum()),
                num_groups=groups_wanted,
                num_groups_kept=len(groups),
                num_env_steps=trajectories.num_env_steps,
            )
            if summary.num_groups_kept >= groups_wanted:
                break
        self._batch = self._with_advantages(join(kept), max_groups=groups_wanted)
        return summary

    def num_kept_trajectories(self) -> int:
        """Trajectories that wait for `update`."""
        assert self._batch is not None, "roll_out comes first"
        return len(self._batch)

    def update(self, step: int, sizes: list[list[int]]) -> UpdateSummary:
        """Trains on what `roll_out` kept; `sizes` has the trajectories of every mini-batch by rank."""
        assert self._batch is not None, "roll_out comes first"
        generator = make_generator(self._config.trainer.seed, Purpose.MINI_BATCHES, step=step, rank=self._rank)
        summary = self._updater.update(self._batch, sizes, lr=self._learning_rate(step), generator=generator)
        self._batch = None
        self._sync_acting_policy()
        return summary

    # Measuring and showing.

    def validate(self) -> list[int]:
        """Runs this rank's share of the held-out episodes greedily; returns the indices of those that succeeded."""
        indices = range(self._rank, self._config.data.val_batch_size, self._num_ranks)
        success = self._run_greedily(indices).success
        return [index for index, succeeded in zip(indices, success, strict=True) if succeeded]

    def film(self, indices: list[int]) -> list[Clip]:
        """Films the held-out episodes that succeed (again) when run greedily."""
        trajectories = self._run_greedily(indices)
        chosen = self._validation_episodes(indices)
        clips: list[Clip] = []
        for number in np.flatnonzero(trajectories.success):
            film = Film(chosen[number], trajectories.executed_actions(int(number)))
            clips.append(Clip(chosen[number].task.instruction, self._environments.film(film)))
        return clips

    def close(self) -> None:
        """Ends the environments and leaves the other ranks."""
        self._environments.close()
        if dist.is_initialized():
            dist.destroy_process_group()

    def _begin_grpo(self) -> None:
        optim = self._config.actor_rollout_ref.actor.optim
        self._policy.begin_phase(lr=optim.lr, betas=_GRPO_BETAS, weight_decay=optim.weight_decay)

    def _sync_acting_policy(self) -> None:
        self._acting_policy.load_state_dict(self._policy.full_weights())

    def _learning_rate(self, step: int) -> float:
        optim = self._config.actor_rollout_ref.actor.optim
        done = (step - 1) / self._config.trainer.total_epochs
        return optim.lr * (1.0 - (1.0 - optim.min_lr_ratio) * done)

    def _roll_out_groups(self, first: int, count: int, generator: torch.Generator) -> Trajectories:
        data = self._config.data
        temperature = self._config.actor_rollout_ref.rollout.temperature
        starts = episodes(
            Split.TRAINING, data.suite, run_seed=self._config.trainer.seed, indices=range(first, first + count)
        )
        return roll_out(
            self._acting_policy,
            self._environments,
            [start for start in starts for _ in range(data.n_samples)],
            choose=sampled(temperature=temperature, generator=generator),
            temperature=temperature,
            device=self._device,
        )

    def _informative(self, trajectories: Trajectories) -> list[int]:
        data = self._config.data
        success = trajectories.success.reshape(-1, data.n_samples)
        if not data.filter_accuracy:
            return list(range(len(success)))
        kept = informative_groups(success, lower=data.accuracy_lower_bound, upper=data.accuracy_upper_bound)
        return [int(group) for group in np.flatnonzero(kept)]

    def _with_advantages(self, trajectories: Trajectories, *, max_groups: int) -> TrainingBatch:
        num_samples = self._config.data.n_samples
        rewards = torch.from_numpy(trajectories.success).float().view(-1, num_samples)
        advantages = group_advantages(rewards).flatten() if len(rewards) else rewards.flatten()
        batch = TrainingBatch(trajectories, advantages)
        num_groups = min(len(rewards), max_groups)
        return batch.select(torch.arange(num_groups * num_samples))

    def _run_greedily(self, indices: range | list[int]) -> Trajectories:
        return roll_out(
            self._acting_policy,
            self._environments,
            self._validation_episodes(indices),
            choose=greedy,
            temperature=1.0,
            device=self._device,
        )

    def _validation_episodes(self, indices: range | list[int]) -> list[Episode]:
        return episodes(Split.VALIDATION, self._config.data.suite, run_seed=self._config.trainer.seed, indices=indices)


def _episodes_of_groups(groups: list[int], num_samples: int) -> torch.Tensor:
    return torch.tensor(
        [group * num_samples + sample for group in groups for sample in range(num_samples)], dtype=torch.long
    )
