"""Memory of a run, from the number of parameters P and the world size W.

Weights, gradients and optimizer are sharded over all ranks (FSDP full shard), in float32 and with AdamW's two moments:

    bytes of a rank = P / W * (4 weights + 4 gradients + 8 optimizer)        (ZeRO, arXiv 1910.02054, stage 3)

`verl` is the tree PRIME-RL/SimpleVLA-RL (verl/workers/fsdp_workers.py, actor/dp_rob.py): a float32 actor that computes
in bfloat16, and a bfloat16 reference policy (2 bytes) of its own. What is offloaded comes back for its phase, and
`zero_grad` ends the update, so:

    rollout    4             + 8 unless optimizer_offload + 2 unless ref.param_offload
    reference  4 unless actor.param_offload + 8 unless optimizer_offload + 2
    update     4 + 4 + 8                                  + 2 unless ref.param_offload

grad_offload changes none of these. At any time two of the model's blocks are gathered in the computing type, and the
update holds one block's gradient in float32. The offloaded shards of all its ranks lie in a node's memory; the head's
has besides the whole float32 weights, when rank 0 saves them, and the pixels of a step's trajectories (77 MB each for
LIBERO, 64 forward passes) on their way to the ranks.

`native` (rlinf_runtime.trainer.sharded_policy) computes in float32, gathers the whole policy as one block, has no
reference policy and no offload; images stay on the rank that made them. A checkpoint holds weights, optimizer and, once
more, the weights for other runs (4 + 8 + 4 bytes); verl's holds the float32 weights.

Activations, CUDA's own memory and NCCL's buffers are not in the estimate: they must fit into what is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rlinf_constructs.helm import go

GIB = 2**30
_WEIGHTS, _GRADIENTS, _OPTIMIZER, _REFERENCE = 4, 4, 8, 2
_TRAJECTORY_BYTES = 77e6

# What is offloaded where the user says nothing; the engine's module in the bootstrap has the same.
VERL_OFFLOAD = {
    "actor_rollout_ref.actor.fsdp_config.param_offload": False,
    "actor_rollout_ref.actor.fsdp_config.optimizer_offload": True,
    "actor_rollout_ref.ref.fsdp_config.param_offload": True,
}


@dataclass(frozen=True, kw_only=True)
class MemoryEstimate:
    """GiB of everything that the formulas know.

    Attributes:
        rank_gib: of one GPU (or one rank on CPU) in each phase.
        node_gib: of every node's main memory.
        head_gib: of the head's main memory.
        checkpoint_gib: of one checkpoint on disk.
    """

    rank_gib: dict[str, float]
    node_gib: float
    head_gib: float
    checkpoint_gib: float


def estimate_verl(
    parameters: int,
    *,
    world_size: int,
    ranks_a_node: int,
    blocks: int,
    trajectories: int,
    hydra: Mapping[str, Any],
) -> MemoryEstimate:
    """The memory of a run of the engine `verl`."""
    shard, block = parameters / world_size, parameters / blocks
    gathered = 2 * 2 * block
    weights_away, optimizer_away, reference_away = (_is_on(hydra, key) for key in VERL_OFFLOAD)
    optimizer = 0 if optimizer_away else _OPTIMIZER
    reference = 0 if reference_away else _REFERENCE
    state = _WEIGHTS + _GRADIENTS + _OPTIMIZER
    offloaded = weights_away * _WEIGHTS + optimizer_away * _OPTIMIZER + reference_away * _REFERENCE
    node = shard * offloaded * ranks_a_node
    return MemoryEstimate(
        rank_gib={
            "rollout": (shard * (_WEIGHTS + optimizer + reference) + gathered) / GIB,
            "reference": (shard * ((0 if weights_away else _WEIGHTS) + optimizer + _REFERENCE) + gathered) / GIB,
            "update": (shard * (state + reference) + gathered + block * _GRADIENTS) / GIB,
        },
        node_gib=node / GIB,
        head_gib=(node + parameters * _WEIGHTS + trajectories * _TRAJECTORY_BYTES) / GIB,
        checkpoint_gib=parameters * _WEIGHTS / GIB,
    )


def estimate_native(parameters: int, *, world_size: int, ranks_a_node: int, has_gpus: bool) -> MemoryEstimate:
    """The memory of a run of the engine `native`; without GPUs the ranks' memory is the nodes'."""
    shard = parameters / world_size
    rollout = shard * (_WEIGHTS + _OPTIMIZER) + parameters * _WEIGHTS
    update = shard * (_WEIGHTS + _GRADIENTS + _OPTIMIZER) + parameters * (_WEIGHTS + _GRADIENTS)
    node = 0 if has_gpus else update * ranks_a_node
    return MemoryEstimate(
        rank_gib={"rollout": rollout / GIB, "update": update / GIB},
        node_gib=node / GIB,
        head_gib=(node + parameters * _WEIGHTS) / GIB,
        checkpoint_gib=parameters * (_WEIGHTS + _OPTIMIZER + _WEIGHTS) / GIB,
    )


def _is_on(hydra: Mapping[str, Any], key: str) -> bool:
    value: Any = hydra
    for part in key.split("."):
        value = value.get(part, VERL_OFFLOAD[key]) if go.is_map(value) else VERL_OFFLOAD[key]
    return value is True
