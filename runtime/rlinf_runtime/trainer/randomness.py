"""Random generators as functions of (run seed, purpose, step, rank), so that a resumed run draws what it would have."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import torch


class Purpose(IntEnum):
    """What a generator is for; no two share a stream."""

    WEIGHTS = 0
    IMITATION_BATCHES = 1
    ACTIONS = 2
    MINI_BATCHES = 3


def generator_seed(run_seed: int, purpose: Purpose, *, step: int = 0, rank: int = 0) -> int:
    """A seed of 63 bits, spread by NumPy's SeedSequence so that neighbours are unrelated."""
    state = np.random.SeedSequence([run_seed, int(purpose), step, rank]).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


def make_generator(
    run_seed: int, purpose: Purpose, *, step: int, rank: int, device: torch.device | None = None
) -> torch.Generator:
    """A fresh generator at the start of its stream."""
    generator = torch.Generator(device=device or torch.device("cpu"))
    return generator.manual_seed(generator_seed(run_seed, purpose, step=step, rank=rank))
