"""`rlinf-eks plan`: what a run will take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import rlinf_eks
from team_job import team_job

# The seeds' run on eight H100.
MODEL = "training.hydra.actor_rollout_ref.model.path=/models/vla"
SEEDS = ("--set", f"training.engine=verl,nodes.gpus=8,{MODEL}", "--instance", "p5.48xlarge")


def test_the_plan_for_people() -> None:
    """Ranks, batches, memory, checkpoint and cost on one page."""
    done = rlinf_eks("plan", *SEEDS, "--parameters", "7.5B", "--price", "98.32")

    assert done.exit_code == 0
    assert "world size   8 = 1 nodes * 8 GPUs" in done.stdout
    assert "cost         98.32 an hour, all nodes" in done.stdout
    assert "       4  optimizer updates a step = trajectories / ppo_mini_batch_size" in done.stdout
    assert "    15.7  GiB in the phase update" in done.stdout
    assert "    64.3  GiB left for activations and NCCL" in done.stdout
    assert "    27.9  GiB a checkpoint" in done.stdout


def test_sizes_that_do_not_divide_come_with_the_nearest_that_do() -> None:
    """As options to copy; the rules' sentences stand above them."""
    done = rlinf_eks("plan", *SEEDS, "--set", "nodes.count=3")

    assert done.exit_code == 0
    assert "ppo_mini_batch_size is 128, which is divided among 24 ranks" in done.stdout
    assert "  --set training.hydra.data.train_batch_size=72\n" in done.stdout


def test_the_instance_is_the_one_that_pods_select(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever puts it into their node selector."""
    monkeypatch.chdir(tmp_path)
    app = team_job(tmp_path, "selecting", nodeSelector={"node.kubernetes.io/instance-type": "p5e.48xlarge"})

    done = rlinf_eks("plan", *SEEDS[:2], "--app", app, "--parameters", "7.5B")

    assert "   125.3  GiB left for activations and NCCL" in done.stdout


def test_the_plan_for_programs() -> None:
    """The same as JSON."""
    plan = json.loads(rlinf_eks("plan", "--set", "nodes.count=4", "--price", "2", "--json").stdout)
    assert plan["world_size"] == 4
    assert plan["cost_an_hour"] == 8
    assert plan["sizes"]["data.train_batch_size"] == 16
    assert plan["memory"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--parameters", "many"], 2, "'many' is no number of parameters: write it like 7.5B or 350M"),
        (
            ["--instance", "p5.48large"],
            2,
            "p5.48large is not known: `rlinf-eks profiles` lists the types; did you mean",
        ),
        (["--set", "nodes.gpus=-1"], 1, "- at '/nodes/gpus': minimum: got -1, want 0"),
        (
            ["--set", "training.engine=verl,training.hydra.data.n_samples=0"],
            1,
            "- at '/training/hydra/data/n_samples': minimum: got 0, want 1",
        ),
    ],
    ids=["parameters", "instance", "schema", "zero"],
)
def test_refusals(arguments: list[str], code: int, sentence: str) -> None:
    """Wrong usage is 2, wrong values are 1."""
    done = rlinf_eks("plan", *arguments)
    assert done.exit_code == code
    assert sentence in done.stderr


@pytest.mark.parametrize(("text", "number"), [("8B", "4.7"), ("8000M", "4.7"), ("8000000000", "4.7"), ("80b", "46.6")])
def test_numbers_of_parameters_are_written_as_people_write_them(text: str, number: str) -> None:
    """With or without a letter; the rollout of 8 billion parameters takes so many GiB."""
    assert f" {number}  GiB in the phase rollout" in rlinf_eks("plan", *SEEDS, "--parameters", text).stdout


@pytest.mark.parametrize("text", ["", "7x", "-1B", "0"])
def test_what_is_no_number_of_parameters(text: str) -> None:
    """The sentence says how to write one."""
    done = rlinf_eks("plan", "--parameters", text)
    assert done.exit_code == 2
    assert f"{text!r} is no number of parameters: write it like 7.5B or 350M" in done.stderr
