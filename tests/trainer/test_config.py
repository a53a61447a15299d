"""Composing the configuration, and what it refuses."""

import pytest

from rlinf_runtime.trainer.config.load import config_keys, load_config
from rlinf_runtime.trainer.errors import ConfigError


def test_the_packaged_defaults_are_valid():
    """No override is needed for a run on one CPU."""
    config = load_config([])

    assert config.trainer.world_size == 1
    assert config.algorithm.adv_estimator == "grpo"


def test_overrides_arrive_typed():
    """Numbers, lists and interpolations arrive as the schema's types."""
    config = load_config(
        ["actor_rollout_ref.actor.optim.lr=1", "sft.tool_offset_m=[0.01,0]", "trainer.default_local_dir=/runs/x"]
    )

    assert config.actor_rollout_ref.actor.optim.lr == 1.0
    assert config.sft.tool_offset_m == (0.01, 0.0)
    assert config.actor_rollout_ref.model.path == "/runs/x/sft"


def test_the_world_is_one_rank_a_gpu_or_one_a_cpu_node():
    """World size is nnodes * max(n_gpus_per_node, 1)."""
    on_cpu = load_config(["trainer.nnodes=2"])
    on_gpu = load_config(["trainer.nnodes=2", "trainer.n_gpus_per_node=4"])

    assert (on_cpu.trainer.world_size, on_gpu.trainer.world_size) == (2, 8)


def test_keys_are_listed_with_their_types():
    """The chart mirrors this list."""
    keys = config_keys()

    assert keys["data.train_batch_size"] is int
    assert keys["actor_rollout_ref.actor.optim.lr"] is float
    assert keys["trainer.val_only"] is bool


REFUSALS = {
    "data.train_batchsize=3": "unknown key data.train_batchsize; did you mean data.train_batch_size?",
    "train_batch_size=3": "unknown key train_batch_size; did you mean data.train_batch_size?",
    "data=3": "unknown key data",
    "+data.extra=1": "cannot use '+data.extra=1': every key exists already, write data.extra=VALUE with one value",
    "data.n_samples=2,4": "cannot use 'data.n_samples=2,4': every key exists already, "
    "write data.n_samples=VALUE with one value",
    "data.n_samples": "cannot read 'data.n_samples', expected KEY=VALUE: missing EQUAL at '<EOF>'",
    "data.n_samples=eight": "data.n_samples must be a whole number, got 'eight'",
    "data.n_samples=8.0": "data.n_samples must be a whole number, got 8.0",
    "data.n_samples=true": "data.n_samples must be a whole number, got True",
    "data.n_samples=null": "data.n_samples must be a whole number, got None",
    "data.n_samples=1": "data.n_samples must be at least 2, got 1",
    "data.filter_accuracy=1": "data.filter_accuracy must be true or false, got 1",
    "trainer.experiment_name=1": "trainer.experiment_name must be text, got 1",
    "sft.tool_offset_m=0.01": "sft.tool_offset_m must be a list of 2 numbers, got 0.01",
    "data.task_suite_name=toch": "data.task_suite_name must be touch or push or touch_push, got toch; "
    "did you mean touch?",
    "algorithm.adv_estimator=gae": "algorithm.adv_estimator must be grpo, got gae",
    "trainer.test_freq=0": "trainer.test_freq must be at least 1, or -1 for never in between, got 0",
    "actor_rollout_ref.actor.grad_clip=0": "actor_rollout_ref.actor.grad_clip must be above 0.0, got 0.0",
    "actor_rollout_ref.model.action_chunks_len=5": "actor_rollout_ref.model.action_chunks_len must divide 16 "
    "(the control steps of an episode), got 5; nearest valid: 4 or 8",
    "data.train_batch_size=15": "data.train_batch_size must be a multiple of 2 (the ranks, trainer.nnodes * "
    "max(trainer.n_gpus_per_node, 1)), got 15; nearest valid: 14 or 16",
    "actor_rollout_ref.actor.ppo_micro_batch_size=24": "actor_rollout_ref.actor.ppo_micro_batch_size must divide 64 "
    "(actor_rollout_ref.actor.ppo_mini_batch_size), got 24; nearest valid: 16 or 32",
}


@pytest.mark.parametrize("override", REFUSALS)
def test_refusals_say_what_is_allowed(override: str):
    """One sentence: the key, the value, what is allowed, the nearest valid one."""
    with pytest.raises(ConfigError) as refusal:
        load_config(["trainer.nnodes=2", override])

    assert str(refusal.value) == REFUSALS[override]


def test_a_mini_batch_that_does_not_divide_the_step_is_refused():
    """The rule crosses two sections, and the text says so."""
    with pytest.raises(ConfigError) as refusal:
        load_config(
            ["actor_rollout_ref.actor.ppo_mini_batch_size=60", "actor_rollout_ref.actor.ppo_micro_batch_size=60"]
        )

    assert str(refusal.value) == (
        "actor_rollout_ref.actor.ppo_mini_batch_size must divide 128 (data.train_batch_size * data.n_samples), "
        "got 60; nearest valid: 32 or 64"
    )
