"""One rank of the run: a process that owns a shard of the policy and the environments whose episodes it runs.

Trajectories are made, filtered and trained on within a rank; only weights, gradients and summaries cross ranks.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import ray
import torch
import torch.distributed as dist
from torch.distributed import TCPStore  # pyright: ignore[reportPrivateImportUsage] - documented, but not in __all__
from torch.distributed.device_mesh import init_device_mesh

from rlinf_runtime.trainer.environments import Demonstrate, Environments, Film
from rlinf_runtime.trainer.episodes import Episode, Split, episodes
from rlinf_runtime.trainer.group_sampler import GroupSampler
from rlinf_runtime.trainer.imitation import Imitator
from rlinf_runtime.trainer.model_folder import load_policy_weights, save_policy
from rlinf_runtime.trainer.policy import Policy
from rlinf_runtime.trainer.randomness import Purpose, generator_seed, make_generator
from rlinf_runtime.trainer.report import Clip
from rlinf_runtime.trainer.rollout import greedy, roll_out
from rlinf_runtime.trainer.sharded_policy import ShardedPolicy
from rlinf_runtime.trainer.update import TrainingBatch, Updater

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rlinf_runtime.trainer.config.schema import Config
    from rlinf_runtime.trainer.summaries import RolloutSummary, UpdateSummary
    from rlinf_runtime.trainer.trajectories import Trajectories

_COLLECTIVE_TIMEOUT = timedelta(minutes=10)
_GRPO_BETAS = (0.9, 0.95)


class Rank:
    """What the controller calls on all ranks at once, in this order of first use."""

    def __init__(self, rank: int, config: Config) -> None:
        """Starts the environments; `join` does the rest."""
        self._rank = rank
        self._config = config
        self._num_ranks = config.trainer.world_size
        self._chunk_len = config.actor_rollout_ref.model.action_chunks_len
        self._device = torch.device("cuda", 0) if config.trainer.n_gpus_per_node else torch.device("cpu")
        if self._device.type == "cpu":
            # Ranks share a node's cores with their environments; more threads than cores collapse.
            torch.set_num_threads(1)
        self._environments = Environments(config.actor_rollout_ref.rollout.num_env_workers)
        self._store: TCPStore | None = None
        self._imitator: Imitator | None = None
        self._batch: TrainingBatch | None = None

    def node_address(self) -> str:
        """The address of the node that this rank is on."""
        return ray.util.get_node_ip_address()

    def node_id(self) -> str:
        """Ray's name of the node that this rank is on; addresses may be shared."""
        return ray.get_runtime_context().get_node_id()

    def rendezvous(self) -> tuple[str, int]:
        """Opens the store at which all ranks meet, and returns its host and port."""
        host = self.node_address()
        self._store = TCPStore(host, 0, is_master=True, wait_for_workers=False, timeout=_COLLECTIVE_TIMEOUT)
        return host, self._store.port

    def join(self, host: str, port: int) -> None:
        """Meets the other ranks and makes the policy, with the same random weights everywhere."""
        if self._store is None:
            self._store = TCPStore(host, port, wait_for_workers=False, timeout=_COLLECTIVE_TIMEOUT)
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if self._device.type == "cuda" else "gloo",
            store=self._store,
            rank=self._rank,
            world_size=self._num_ranks,
            timeout=_COLLECTIVE_TIMEOUT,
        )
        self._policy = ShardedPolicy(
            init_device_mesh(self._device.type, (self._num_ranks,)),
            self._device,
            action_chunks_len=self._chunk_len,
            seed=generator_seed(self._config.trainer.seed, Purpose.WEIGHTS),
        )
        # Acting needs no collectives: every rank acts with a whole copy, at its own pace.
        self._acting_policy = Policy(self._chunk_len).to(self._device).eval()
        self._sampler = GroupSampler(
            self._acting_policy, self._environments, self._config, rank=self._rank, device=self._device
        )
        self._updater = Updater(
            self._policy,
            self._config.actor_rollout_ref.actor,
            rank=self._rank,
            temperature=self._config.actor_rollout_ref.rollout.temperature,
            device=self._device,
        )

    def collect_demonstrations(self) -> int:
        """Runs this rank's share of the demonstrations and keeps them; returns the number of states."""
        suite = self._config.data.suite
        sft = self._config.sft
        indices = range(self._rank, sft.demonstrations_per_task * len(suite), self._num_ranks)
        chosen = episodes(Split.DEMONSTRATION, suite, run_seed=self._config.trainer.seed, indices=indices)
        demonstrations = self._environments.demonstrate(
            Demonstrate(
                episodes=tuple(chosen),
                chunk_len=self._chunk_len,
                tool_offset_m=sft.tool_offset_m,
                action_noise=sft.action_noise,
                chunk_noise=sft.chunk_noise,
            )
        )
        self._imitator = Imitator(
            self._policy,
            demonstrations,
            sft,
            run_seed=self._config.trainer.seed,
            rank=self._rank,
            num_ranks=self._num_ranks,
            device=self._device,
        )
        return len(demonstrations.images)

    def imitate(self, first_step: int, last_step: int) -> float:
        """Takes the SFT steps first_step ... last_step - 1; returns the loss of the last on this rank."""
        assert self._imitator is not None, "collect_demonstrations comes first"
        return self._imitator.take_steps(first_step, last_step)

    def save_policy(self, path: str) -> None:
        """Writes the whole weights as a policy folder, from rank 0."""
        weights = self._policy.full_weights()
        if self._rank == 0:
            save_policy(Path(path), weights, action_chunks_len=self._chunk_len)

    def load_policy(self, path: str) -> None:
        """Takes the weights of a policy folder and a fresh optimizer."""
        self._imitator = None
        self._policy.load_full_weights(load_policy_weights(Path(path), like=self._acting_policy.state_dict()))
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
        """Runs this rank's groups of a step; what teaches something waits here for `update`."""
        self._batch, summary = self._sampler.sample(step)
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

    def validate(self) -> list[int]:
        """Runs this rank's share of the held-out episodes greedily; returns the indices of those that succeeded."""
        indices = range(self._rank, self._config.data.val_batch_size, self._num_ranks)
        success = self._run_greedily(self._held_out(indices)).success if indices else []
        return [index for index, succeeded in zip(indices, success, strict=True) if succeeded]

    def film(self, indices: list[int]) -> list[Clip]:
        """Films those of the held-out episodes that succeed when run greedily."""
        chosen = self._held_out(indices)
        trajectories = self._run_greedily(chosen)
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
        """Falls linearly from `optim.lr` in step 1 towards `min_lr_ratio` of it at the end."""
        optim = self._config.actor_rollout_ref.actor.optim
        done = (step - 1) / self._config.trainer.total_epochs
        return optim.lr * (1.0 - (1.0 - optim.min_lr_ratio) * done)

    def _held_out(self, indices: Sequence[int]) -> list[Episode]:
        return episodes(Split.VALIDATION, self._config.data.suite, run_seed=self._config.trainer.seed, indices=indices)

    def _run_greedily(self, chosen: list[Episode]) -> Trajectories:
        return roll_out(
            self._acting_policy,
            self._environments,
            chosen,
            choose=greedy,
            temperature=1.0,
            device=self._device,
        )
