"""A rank alone in this process, without Ray: what `make bench` times."""

from pathlib import Path

import pytest
import torch

from rlinf_runtime.trainer.config.load import load_config
from rlinf_runtime.trainer.rank import Rank
from rlinf_runtime.trainer.sampling import mini_batch_sizes

OVERRIDES = [
    "data.train_batch_size=2",
    "data.n_samples=4",
    "data.filter_accuracy=false",
    "actor_rollout_ref.actor.ppo_mini_batch_size=8",
    "actor_rollout_ref.actor.ppo_micro_batch_size=4",
]


@pytest.fixture
def rank(tmp_path: Path):
    """A rank of a world of one, with random weights."""
    alone = Rank(0, load_config(OVERRIDES))
    alone.join(*alone.rendezvous())
    alone.save_policy(str(tmp_path / "policy"))
    alone.load_policy(str(tmp_path / "policy"))
    yield alone
    alone.close()


def test_a_step_rolls_out_and_updates(rank: Rank):
    """Two groups of four episodes become one optimizer step; on policy, the loss is minus the mean advantage: zero."""
    rollouts = rank.roll_out(1)
    sizes = mini_batch_sizes([rank.num_kept_trajectories()], mini_batch_size=8)
    update = rank.update(1, sizes)

    assert (rollouts.num_episodes, rollouts.num_groups_kept) == (8, 2)
    assert rollouts.num_env_steps > 0
    assert update.num_optimizer_steps == 1
    assert update.pg_loss == pytest.approx(0.0, abs=1e-5)
    assert update.approx_kl == pytest.approx(0.0, abs=1e-5)


def test_a_step_repeats_exactly(rank: Rank):
    """All randomness is a function of the step: rolling it out again gives the same episodes."""
    first, again, other = (rank._sampler.sample(step)[0].trajectories for step in (1, 1, 2))

    assert torch.equal(first.tokens, again.tokens)
    assert torch.equal(first.inputs.images, again.inputs.images)
    assert not torch.equal(first.inputs.images[:8], other.inputs.images[:8])
