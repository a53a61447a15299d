"""The policy under FSDP2: one shard on each rank, one optimizer step at a time.

Every method is collective: all ranks must call it, in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor

from rlinf_runtime.trainer.policy import Policy

if TYPE_CHECKING:
    from pathlib import Path

    from torch import Tensor
    from torch.distributed.device_mesh import DeviceMesh

    from rlinf_runtime.trainer.policy import PolicyInput


class ShardedPolicy:
    """A policy whose weights, gradients and optimizer state are spread over the ranks of a mesh."""

    def __init__(self, mesh: DeviceMesh, device: torch.device, *, action_chunks_len: int, seed: int) -> None:
        """Makes the same random weights on every rank and keeps this rank's shard of them."""
        torch.manual_seed(seed)
        self.module = Policy(action_chunks_len).to(device)
        fully_shard(self.module, mesh=mesh)
        self._num_ranks = mesh.size()
        self._device = device
        self._optimizer: torch.optim.AdamW | None = None

    @property
    def optimizer(self) -> torch.optim.AdamW:
        """The optimizer of the current phase."""
        assert self._optimizer is not None, "begin_phase comes first"
        return self._optimizer

    def begin_phase(self, *, lr: float, betas: tuple[float, float], weight_decay: float) -> None:
        """Starts with a fresh AdamW."""
        self._optimizer = torch.optim.AdamW(
            self.module.parameters(), lr=lr, betas=betas, weight_decay=weight_decay, fused=True
        )

    def __call__(self, batch: PolicyInput) -> Tensor:
        """Logits of this rank's batch, [B, tokens, bins]."""
        return self.module(batch)

    def backward(self, loss: Tensor, *, is_last: bool) -> None:
        """Adds to the gradient of the sum over ranks of their losses.

        Args:
            loss: this rank's part of the loss, a scalar.
            is_last: whether an optimizer step follows; gradients are reduced over the ranks only then.
        """
        cast("FSDPModule", self.module).set_requires_gradient_sync(is_last)
        # FSDP averages over the ranks; the parts are parts of a sum.
        (loss * self._num_ranks).backward()

    def step(self, *, lr: float, grad_clip: float) -> float:
        """Takes an optimizer step and returns the norm of the whole gradient before it was clipped."""
        norm = torch.nn.utils.clip_grad_norm_(self.module.parameters(), grad_clip)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.step()
        self.optimizer.zero_grad()
        return _whole(norm).item()

    def full_weights(self) -> dict[str, Tensor]:
        """Gathers the whole weights on every rank, by parameter name."""
        return {name: _whole(weight) for name, weight in self.module.state_dict().items()}

    def load_full_weights(self, weights: dict[str, Tensor]) -> None:
        """Takes whole weights, the same on every rank, and keeps this rank's shard."""
        on_device: dict[str, Any] = {name: weight.to(self._device) for name, weight in weights.items()}
        set_model_state_dict(self.module, on_device, options=StateDictOptions(full_state_dict=True))

    def save(self, folder: Path) -> None:
        """Writes weights and optimizer, each rank its own shard."""
        save(self._state(), checkpoint_id=folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote; the number of ranks may differ."""
        state = self._state()
        load(state, checkpoint_id=folder)
        set_model_state_dict(self.module, state["model"])
        set_optimizer_state_dict(self.module, self.optimizer, state["optimizer"])

    def _state(self) -> dict[str, Any]:
        return {
            "model": get_model_state_dict(self.module),
            "optimizer": get_optimizer_state_dict(self.module, self.optimizer),
        }


def _whole(tensor: Tensor) -> Tensor:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
