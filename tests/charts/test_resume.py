"""`training.resume` and `training.watchdog`: what the bootstrap is told, and what is refused before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rendered_objects import objects_of, refusal_of, run_json
from rlinf_constructs.helm import HelmChart

VERL = {"engine": "verl", "hydra": {"actor_rollout_ref": {"model": {"path": "/models/sft"}}}}


def run(chart: HelmChart, training: dict[str, Any]) -> dict[str, Any]:
    """The run.json of a training."""
    objects = objects_of(chart, {"training": training})
    return json.loads(run_json(objects))


def test_a_run_resumes_and_is_watched_by_default(chart: HelmChart) -> None:
    """Nothing has to be set for either."""
    told = run(chart, {})

    assert told["resume"] == "auto"
    assert told["watchdog"] == {"epochs_without_update": 2, "step_minutes": 180}


def test_a_checkpoint_can_be_named(chart: HelmChart) -> None:
    """By its absolute path, for engines that can begin with it."""
    path = "/runs/rel-rlinf/attempts/1/checkpoints/actor/global_step_24"

    assert run(chart, {**VERL, "resume": path})["resume"] == path


@pytest.mark.parametrize("resume", ["", "latest", "runs/x", "/"])
def test_anything_else_is_refused(chart: HelmChart, resume: str) -> None:
    """A word that means nothing, and a path that no pod could find."""
    assert "/training/resume" in "".join(refusal_of(chart, {"training": {"resume": resume}}))


def test_the_native_engine_takes_no_path(chart: HelmChart) -> None:
    """The sentence says how to start from another run."""
    [sentence, *_] = refusal_of(chart, {"training": {"resume": "/runs/other"}})

    assert "takes auto or never: to start from the weights of another run" in sentence


@pytest.mark.parametrize(
    ("engine", "hydra", "key"),
    [
        ("verl", {"trainer": {"default_local_dir": "/fsx/checkpoints"}}, "trainer.default_local_dir"),
        ("rlinf", {"runner": {"logger": {"log_path": "/fsx/logs"}}}, "runner.logger.log_path"),
    ],
)
def test_a_folder_that_each_start_would_overwrite_is_refused(
    chart: HelmChart, engine: str, hydra: dict[str, Any], key: str
) -> None:
    """As the seeds' script has it; the native engine may write where it likes, since it resumes there."""
    sentences = refusal_of(chart, {"training": {"engine": engine, "hydra": hydra}})

    assert any(sentence.startswith(f"training.hydra.{key} is /fsx/") for sentence in sentences)
