"""What the chart refuses of the engines' keys, in whole sentences; the law holds helm to the same words."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import objects_of
from rlinf_constructs.helm import HelmChart, ValuesError

EIGHT = {"count": 1, "gpus": 8}
RLINF = {"engine": "rlinf", "code": "/code/RLinf", "rlinf": {"configName": "libero_10_grpo_openvlaoft"}}


def refusal(chart: HelmChart, training: dict[str, Any]) -> ValuesError:
    """What is refused on a node of eight GPUs."""
    with pytest.raises(ValuesError) as refused:
        objects_of(chart, {"nodes": EIGHT, "training": training})
    return refused.value


def verl(**hydra: Any) -> dict[str, Any]:
    """A run of the engine verl with a model."""
    actor = {"model": {"path": "/models/vla"}, **hydra.pop("actor_rollout_ref", {})}
    return {"engine": "verl", "hydra": {"actor_rollout_ref": actor, **hydra}}


@pytest.mark.parametrize(
    ("training", "sentence"),
    [
        (
            {"engine": "verl"},
            (
                "training.hydra.actor_rollout_ref.model.path is not set while training.engine is verl: name the "
                "folder of the model to start from, on a volume that every node mounts"
            ),
        ),
        (
            verl(actor_rollout_ref={"rollout": {"name": "vllm"}}),
            (
                "training.hydra.actor_rollout_ref.rollout.name is vllm, but the engine verl has no other rollout "
                "than hf for a VLA: leave it out, or write hf"
            ),
        ),
        (
            verl(actor_rollout_ref={"rollout": {"tensor_model_parallel_size": 4}}),
            (
                "training.hydra.actor_rollout_ref.rollout.tensor_model_parallel_size is 4, but the engine verl shards "
                "a VLA over all ranks by FSDP and divides it no further: leave it out, or write 1"
            ),
        ),
        (
            verl(actor_rollout_ref={"actor": {"use_dynamic_bsz": True}}),
            (
                "training.hydra.actor_rollout_ref.actor.use_dynamic_bsz is true, but the engine verl cannot cut the "
                "episodes of a VLA by their tokens, and fails after the first rollout: set it to false"
            ),
        ),
        (
            verl(trainer={"runtime_env": "/workspace/align.json"}),
            (
                "training.hydra.trainer.runtime_env is set, but the bootstrap writes the file for each attempt: "
                "put variables into extraEnv, which reaches Ray itself and every worker"
            ),
        ),
        (
            verl(data={"n_samples": 1}, actor_rollout_ref={"actor": {"ppo_mini_batch_size": 64}}),
            "training.hydra.data.n_samples is 1: a group of one has no advantage to learn from; the least is 2",
        ),
        (
            verl(data={"n_samples": 2, "accuracy_lower_bound": 0.1, "accuracy_upper_bound": "0.4"}),
            (
                "training.hydra.data.accuracy_lower_bound and data.accuracy_upper_bound are 0.1 and 0.4: no "
                "success rate of 2 episodes lies there, so that every group is dropped and the run never ends; the "
                "widest bounds are 0.0 and 1.0"
            ),
        ),
        (
            verl(data={"val_batch_size": 500}),
            (
                "training.hydra.data.val_batch_size is 500, which is divided among 8 ranks (nodes.count * GPUs of "
                "a node, one a node without): the nearest valid values are 496 and 504"
            ),
        ),
        (
            verl(actor_rollout_ref={"actor": {"traj_mini_batch_size": 12}}),
            (
                "training.hydra.actor_rollout_ref.actor.traj_mini_batch_size is 12, but must divide the 64 forward "
                "passes of an episode: leave it out for the most up to 16 that does"
            ),
        ),
        (
            {**RLINF, "code": "", "rlinf": {"configName": ""}},
            (
                "training.code is empty while training.engine is rlinf: name the folder of a clone of RLinf, since "
                "the installed package has no scripts and no configurations"
            ),
        ),
        (
            {**RLINF, "hydra": {"data": {"n_samples": 8, "train_batch_size": 64}}},
            (
                "training.hydra.data.train_batch_size is 64 groups of training.hydra.data.n_samples, over "
                "training.hydra.env.train.total_num_envs environments at a time: set all three, or in its place "
                "RLinf's own env.train.rollout_epoch"
            ),
        ),
        (
            {**RLINF, "hydra": {"env": {"train": {"total_num_envs": 72}}, "data": {"n_samples": 8}}},
            (
                "training.hydra.env.train.total_num_envs is 72, but each of 8 ranks takes whole groups of 8: the "
                "nearest valid values are 64 and 128"
            ),
        ),
    ],
)
def test_a_rule_names_key_value_and_remedy(training: dict[str, Any], sentence: str, chart: HelmChart) -> None:
    """Before anything takes a node."""
    assert sentence in refusal(chart, training).sentences


def test_a_misspelt_key_of_the_tree_is_refused_with_the_nearest(chart: HelmChart) -> None:
    """The tree would end on it minutes later; a key of the user's own is written with Hydra's mark."""
    refused = refusal(chart, verl(data={"train_batch_sizes": 64}))
    assert "- at '/training/hydra/data': additional properties 'train_batch_sizes' not allowed" in refused.sentences
    assert refused.hints[0].endswith("Hydra's + or ~ in front; did you mean training.hydra.data.train_batch_size?")
    assert objects_of(chart, {"nodes": EIGHT, "training": verl(data={"+mine": 64}, **{"+other": {"a": 1}})})


def test_rlinf_on_kuberay_has_no_separate_head(chart: HelmChart) -> None:
    """It would take the head, which has no GPUs, for its first node."""
    values = {"mode": "rayjob", "kuberay": {"head": {"separate": True}}, "nodes": EIGHT, "training": RLINF}
    with pytest.raises(ValuesError, match="RLinf counts the head as its first node"):
        objects_of(chart, values)
    assert objects_of(chart, {**values, "mode": "statefulset"})
