"""How fast the native trainer rolls out and updates, on one rank of this machine's CPU."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import torch
import torch.distributed
from tests.bench.measurement import Measurement, in_turn, seconds
from torch.distributed.device_mesh import init_device_mesh

from rlinf_runtime.trainer.config import load
from rlinf_runtime.trainer.config.schema import Config
from rlinf_runtime.trainer.environments import Environments
from rlinf_runtime.trainer.episodes import Split, episodes
from rlinf_runtime.trainer.policy import Policy, token_log_probs
from rlinf_runtime.trainer.rollout import roll_out, sampled
from rlinf_runtime.trainer.sharded_policy import ShardedPolicy
from rlinf_runtime.trainer.trajectories import Trajectories
from rlinf_runtime.trainer.update import TrainingBatch, Updater

_NUM_EPISODES = 64
_CPU = torch.device("cpu")


def measure() -> Iterator[Measurement]:
    """Environment steps a second, and the time of an update."""
    torch.set_num_threads(1)
    config = load.load_config([])
    environments = Environments(1)
    try:
        rollout, trajectories = _rollout(config, environments)
        yield rollout
    finally:
        environments.close()
    yield _update(config, trajectories)


def _rollout(config: Config, environments: Environments) -> tuple[Measurement, Trajectories]:
    policy = Policy(config.actor_rollout_ref.model.action_chunks_len)
    batch = episodes(Split.TRAINING, config.data.suite, run_seed=0, indices=range(_NUM_EPISODES))
    choose = sampled(temperature=1.0, generator=torch.Generator().manual_seed(0))
    made: list[Trajectories] = []

    def steps_per_s() -> float:
        began_s = time.perf_counter()
        made.append(roll_out(policy, environments, batch, choose=choose, temperature=1.0, device=_CPU))
        return made[-1].num_env_steps / (time.perf_counter() - began_s)

    value, reference = in_turn(steps_per_s, _bare_physics, rounds=5)
    measurement = Measurement(
        name="rollout: environment steps a second",
        value=value,
        unit="1/s",
        reference=reference,
        reference_name="physics alone: no camera, no policy",
    )
    return measurement, made[-1]


def _bare_physics() -> float:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.bare_physics"], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def _update(config: Config, trajectories: Trajectories) -> Measurement:
    """One GRPO update by FSDP2, beside forward, backward and AdamW of the same chunks on a plain module."""
    torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:0", rank=0, world_size=1)
    try:
        chunk_len = config.actor_rollout_ref.model.action_chunks_len
        sharded = ShardedPolicy(init_device_mesh("cpu", (1,)), _CPU, action_chunks_len=chunk_len, seed=0)
        sharded.begin_phase(lr=1e-4, betas=(0.9, 0.95), weight_decay=0.0)
        updater = Updater(sharded, config.actor_rollout_ref.actor, rank=0, temperature=1.0, device=_CPU)
        batch = TrainingBatch(trajectories, torch.randn(_NUM_EPISODES))
        generator = torch.Generator().manual_seed(0)
        update = seconds(lambda: updater.update(batch, [[_NUM_EPISODES]], lr=1e-4, generator=generator))
        value, reference = in_turn(update, seconds(_plain_step(chunk_len, trajectories)), rounds=7)
    finally:
        torch.distributed.destroy_process_group()
    return Measurement(
        name=f"update on {_NUM_EPISODES} trajectories",
        value=value,
        unit="s",
        reference=reference,
        reference_name="forward, backward and AdamW on a plain module",
    )


def _plain_step(chunk_len: int, trajectories: Trajectories) -> Callable[[], None]:
    policy = Policy(chunk_len)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        log_probs = token_log_probs(policy(trajectories.inputs), trajectories.tokens, temperature=1.0)
        (-log_probs.mean()).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step
