"""One rank of `test_sharding.py`: takes one update on its share of fixed trajectories and saves the gradient.

Run as `python sharded_gradient.py RANK COUNTS MICRO_BATCH_SIZE FOLDER`, COUNTS being trajectories by rank as in `5,2`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from rlinf_runtime.trainer.config.schema import ActorConfig, OptimizerConfig
from rlinf_runtime.trainer.policy import Policy, PolicyInput, token_log_probs
from rlinf_runtime.trainer.sampling import mini_batch_sizes
from rlinf_runtime.trainer.sharded_policy import ShardedPolicy
from rlinf_runtime.trainer.trajectories import Trajectories
from rlinf_runtime.trainer.update import TrainingBatch, Updater

CPU = torch.device("cpu")
NUM_TRAJECTORIES = 7
CHUNKS_EACH = 2


class RecordingPolicy(ShardedPolicy):
    """Keeps the whole gradient of its last step."""

    def step(self, *, lr: float, grad_clip: float) -> float:
        self.gradient = {name: weight.grad.full_tensor() for name, weight in self.module.named_parameters()}
        return super().step(lr=lr, grad_clip=grad_clip)


def fixed_batch() -> TrainingBatch:
    """Seven random trajectories of two chunks, slightly off policy, so that ratios differ from 1."""
    generator = torch.Generator().manual_seed(0)
    count = NUM_TRAJECTORIES * CHUNKS_EACH
    inputs = PolicyInput(
        images=torch.randint(0, 256, (count, 64, 64, 3), generator=generator, dtype=torch.uint8),
        tips=0.1 * torch.randn(count, 3, generator=generator),
        instructions=torch.randint(1, 9, (count, 5), generator=generator),
    )
    tokens = torch.randint(0, 256, (count, 12), generator=generator)
    torch.manual_seed(1)
    with torch.no_grad():
        log_probs = token_log_probs(Policy(4)(inputs), tokens, temperature=1.0)
    trajectories = Trajectories(
        inputs=inputs,
        tokens=tokens,
        log_probs=log_probs + 0.1 * torch.randn(count, 12, generator=generator),
        executed_steps=torch.randint(1, 5, (count,), generator=generator),
        episode=torch.arange(count) % NUM_TRAJECTORIES,
        success=np.zeros(NUM_TRAJECTORIES, dtype=np.bool_),
    )
    return TrainingBatch(trajectories, torch.randn(NUM_TRAJECTORIES, generator=generator))


def main() -> None:
    rank, counts, micro_batch_size, folder = (
        int(sys.argv[1]),
        [int(count) for count in sys.argv[2].split(",")],
        int(sys.argv[3]),
        Path(sys.argv[4]),
    )
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=len(counts))
    policy = RecordingPolicy(init_device_mesh("cpu", (len(counts),)), CPU, action_chunks_len=4, seed=1)
    policy.begin_phase(lr=1e-3, betas=(0.9, 0.95), weight_decay=0.0)
    config = ActorConfig(
        ppo_mini_batch_size=8,
        ppo_micro_batch_size=micro_batch_size,
        ppo_epochs=1,
        clip_ratio_low=0.2,
        clip_ratio_high=0.28,
        grad_clip=1.0,
        optim=OptimizerConfig(lr=1e-3, min_lr_ratio=1.0, weight_decay=0.0),
    )
    first = sum(counts[:rank])
    mine = fixed_batch().select(torch.arange(first, first + counts[rank]))
    updater = Updater(policy, config, rank=rank, temperature=1.0, device=CPU)
    sizes = mini_batch_sizes(counts, mini_batch_size=config.ppo_mini_batch_size)
    summary = updater.update(mine, sizes, lr=1e-3, generator=torch.Generator().manual_seed(rank))
    torch.save({"gradient": policy.gradient, "summary": summary}, folder / f"{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
