"""The controller's decisions, with ranks that only count what they are asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rlinf_runtime.trainer.config.load import load_config
from rlinf_runtime.trainer.controller import Controller
from rlinf_runtime.trainer.errors import StoppedError, TrainerError
from rlinf_runtime.trainer.status import Status
from rlinf_runtime.trainer.stop import StopRequest
from rlinf_runtime.trainer.summaries import RolloutSummary, UpdateSummary


class FakeRanks:
    """One rank that answers at once."""

    def __init__(self, *, num_successes: int = 4, num_groups_kept: int = 1) -> None:
        self.asked: list[str] = []
        self._rollout = RolloutSummary(
            num_episodes=8,
            num_successes=num_successes,
            num_groups=1,
            num_groups_kept=num_groups_kept,
            num_env_steps=100,
        )

    def call(self, method: str, *arguments: Any) -> list[Any]:
        self.asked.append(method)
        if method == "save_checkpoint":
            (Path(arguments[0]) / "state").mkdir()
        answers = {
            "roll_out": self._rollout,
            "num_kept_trajectories": 8 * self._rollout.num_groups_kept,
            "update": UpdateSummary(
                pg_loss=0.0, clip_fraction=0.0, approx_kl=0.0, grad_norm=1.0, learning_rate=1e-3, num_optimizer_steps=1
            ),
            "validate": [0, 1, 2],
        }
        return [answers.get(method)]

    def call_one(self, rank: int, method: str, *arguments: Any) -> Any:
        self.asked.append(method)
        return []


def controller(folder: Path, ranks: FakeRanks, *overrides: str, stop: StopRequest | None = None) -> Controller:
    """A controller of four steps whose policy exists already."""
    (folder / "sft").mkdir(exist_ok=True)
    config = load_config(
        [f"trainer.default_local_dir={folder}", "trainer.total_epochs=4", "data.val_batch_size=4", *overrides]
    )
    status = Status(folder, total_steps=config.trainer.total_epochs)
    return Controller(config, ranks, status, stop or StopRequest())  # pyright: ignore[reportArgumentType]


def metrics(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_validation_and_checkpoints_come_when_due(tmp_path: Path):
    """Before training, every second step, and always after the last; the newest two checkpoints stay."""
    controller(tmp_path, FakeRanks(), "trainer.test_freq=2", "trainer.save_freq=1").run()

    assert [line["step"] for line in metrics(tmp_path) if "val/success_rate" in line] == [0, 2, 4]
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["global_step_3", "global_step_4"]


def test_minus_one_means_only_at_the_end(tmp_path: Path):
    """No validation in between, and one checkpoint."""
    ranks = FakeRanks()
    controller(tmp_path, ranks, "trainer.test_freq=-1", "trainer.save_freq=-1", "trainer.val_before_train=false").run()

    assert [line["step"] for line in metrics(tmp_path) if "val/success_rate" in line] == [4]
    assert ranks.asked.count("save_checkpoint") == 1


def test_a_finished_run_is_not_trained_again(tmp_path: Path):
    """The second start loads the last checkpoint and goes to the report."""
    controller(tmp_path, FakeRanks()).run()
    again = FakeRanks()
    controller(tmp_path, again).run()

    assert again.asked == ["load_checkpoint", "film"]
    assert json.loads((tmp_path / "status.json").read_text())["success_rate"] == 0.75


def test_resume_mode_disable_sets_earlier_results_aside(tmp_path: Path):
    """The run starts anew, and what was there is moved, not deleted."""
    controller(tmp_path, FakeRanks()).run()
    again = FakeRanks()
    controller(tmp_path, again, "trainer.resume_mode=disable").run()

    assert "load_checkpoint" not in again.asked
    assert again.asked.count("update") == 4
    (aside,) = tmp_path.glob("before-*")
    assert sorted(path.name for path in aside.iterdir()) == ["checkpoints", "metrics.jsonl"]


def test_val_only_measures_and_writes_no_checkpoint(tmp_path: Path):
    """The policy of model.path is validated once."""
    ranks = FakeRanks()
    controller(tmp_path, ranks, "trainer.val_only=true").run()

    assert ranks.asked == ["load_policy", "validate"]
    assert json.loads((tmp_path / "status.json").read_text())["phase"] == "done"


def test_sigterm_saves_the_step_in_progress(tmp_path: Path):
    """A request that is there already ends the run after its first step, saved."""
    stop = StopRequest()
    stop._arrive(15, None)
    ranks = FakeRanks()

    with pytest.raises(StoppedError, match="stopped by SIGTERM after step 1, which is saved"):
        controller(tmp_path, ranks, stop=stop).run()
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["global_step_1"]


def test_a_run_that_learns_nothing_ends(tmp_path: Path):
    """Twenty steps without a kept group and without success: the text says what to change."""
    ranks = FakeRanks(num_successes=0, num_groups_kept=0)

    with pytest.raises(TrainerError) as refusal:
        controller(tmp_path, ranks, "trainer.total_epochs=1000").run()
    assert ranks.asked.count("roll_out") == 20
    assert str(refusal.value) == (
        "no group of the last 20 steps had a success rate from data.accuracy_lower_bound=0.1 to "
        "data.accuracy_upper_bound=0.9 (success is 0.00), so nothing is learned: start from a better policy "
        "(actor_rollout_ref.model.path, or more sft.steps), explore more (actor_rollout_ref.rollout.temperature), "
        "or widen the bounds"
    )


def test_a_run_that_always_succeeds_goes_on(tmp_path: Path):
    """Nothing is kept either, but there is nothing left to learn."""
    ranks = FakeRanks(num_successes=8, num_groups_kept=0)
    controller(tmp_path, ranks, "trainer.total_epochs=30").run()

    assert ranks.asked.count("roll_out") == 30
