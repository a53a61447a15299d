"""Metrics on disk, and their names."""

import json
from pathlib import Path

from rlinf_runtime.trainer.metrics import MetricsFile, rollout_metrics, update_metrics
from rlinf_runtime.trainer.status import Status
from rlinf_runtime.trainer.summaries import RolloutSummary, UpdateSummary

ROLLOUT = RolloutSummary(num_episodes=64, num_successes=16, num_groups=8, num_groups_kept=6, num_env_steps=700)


def update_part(pg_loss: float, num_optimizer_steps: int = 2) -> UpdateSummary:
    return UpdateSummary(
        pg_loss=pg_loss,
        clip_fraction=0.01,
        approx_kl=0.001,
        grad_norm=0.5,
        learning_rate=5e-4,
        num_optimizer_steps=num_optimizer_steps,
    )


def test_rollouts_of_two_ranks_by_hand():
    """Episodes and steps add up, and the rate is a share of all episodes."""
    metrics = rollout_metrics(ROLLOUT + ROLLOUT, elapsed_s=2.0)

    assert metrics == {
        "train/success_rate": 0.25,
        "train/num_episodes": 128,
        "train/num_groups": 16,
        "train/num_groups_kept": 12,
        "timing_s/rollout": 2.0,
        "perf/env_steps_per_s": 700.0,
    }


def test_update_metrics_have_the_names_of_verl():
    """Parts of ranks add up; the gradient norm is the same on all."""
    metrics = update_metrics([update_part(0.25), update_part(-1.0)], elapsed_s=0.5)

    assert metrics == {
        "timing_s/update": 0.5,
        "actor/num_optimizer_steps": 2,
        "actor/pg_loss": -0.75,
        "actor/pg_clipfrac": 0.02,
        "actor/ppo_kl": 0.002,
        "actor/grad_norm": 0.5,
        "actor/lr": 5e-4,
    }


def test_a_step_without_update_has_no_loss():
    """Nothing kept is no loss of zero."""
    metrics = update_metrics([update_part(0.0, num_optimizer_steps=0)], elapsed_s=0.5)

    assert metrics == {"timing_s/update": 0.5, "actor/num_optimizer_steps": 0}


def test_a_resumed_run_leaves_one_line_a_step(tmp_path: Path):
    """Lines beyond the checkpoint go, and so does one that a kill cut short."""
    metrics = MetricsFile(tmp_path)
    for step in (1, 2, 3):
        metrics.append(step, {"train/success_rate": step / 10})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "tra')

    metrics.forget_after(2)
    metrics.append(3, {"train/success_rate": 0.5})

    read = metrics.read()
    stamps = [line.pop("timestamp_s") for line in read]
    assert stamps == sorted(stamps)
    assert read == [
        {"step": 1, "train/success_rate": 0.1},
        {"step": 2, "train/success_rate": 0.2},
        {"step": 3, "train/success_rate": 0.5},
    ]


def test_status_has_the_documented_fields(tmp_path: Path):
    """docs/architecture.md lists them; before a phase has made progress its end is unknown."""
    Status(tmp_path, total_steps=40).write("train", step=3, success_rate=0.5, fraction=3 / 40)
    status = json.loads((tmp_path / "status.json").read_text())

    assert status.pop("updated_at")
    assert status == {"phase": "train", "step": 3, "total_steps": 40, "success_rate": 0.5, "eta_s": None}


def test_status_extrapolates_the_time_left(tmp_path: Path):
    """After some progress in a phase, eta_s is a number of seconds."""
    status = Status(tmp_path, total_steps=40)
    status.write("sft", step=0, success_rate=None, fraction=0.0)
    status.write("sft", step=0, success_rate=None, fraction=0.5)

    assert json.loads((tmp_path / "status.json").read_text())["eta_s"] >= 0.0
