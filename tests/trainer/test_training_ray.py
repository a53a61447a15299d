"""Whole runs of `python -m rlinf_runtime.trainer` on a real Ray, with two ranks."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image
from safetensors.torch import load_file

from leash import leashed

pytestmark = pytest.mark.xdist_group("ray")

TINY = [
    "trainer.nnodes=2",
    "trainer.total_epochs=4",
    "trainer.save_freq=2",
    "trainer.test_freq=2",
    "trainer.max_actor_ckpt_to_keep=9",
    "data.train_batch_size=4",
    "data.val_batch_size=12",
    "data.filter_accuracy=false",
    "actor_rollout_ref.actor.ppo_mini_batch_size=16",
    "actor_rollout_ref.actor.ppo_micro_batch_size=8",
    "sft.demonstrations_per_task=2",
    "sft.steps=4",
]


def start(folder: Path, *overrides: str, ray_address: str | None = None) -> subprocess.Popen[str]:
    """Starts the trainer, with a Ray of its own unless an address is given."""
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    environment.pop("RAY_ADDRESS", None)
    if ray_address:
        environment["RAY_ADDRESS"] = ray_address
    return subprocess.Popen(
        leashed(
            [sys.executable, "-u", "-m", "rlinf_runtime.trainer", f"trainer.default_local_dir={folder}", *overrides]
        ),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for_line(process: subprocess.Popen[str], part: str) -> None:
    """Reads the trainer's output up to a line that contains `part`."""
    assert process.stdout is not None
    seen: list[str] = []
    for line in process.stdout:
        seen.append(line)
        if part in line:
            return
    pytest.fail(f"{part!r} never came:\n{''.join(seen)}")


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and the rest of the output."""
    output, _ = process.communicate(timeout=240)
    return process.returncode, output


def lines(folder: Path) -> list[dict[str, float]]:
    """The run's metrics, without what depends on the clock."""
    read = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [
        {key: value for key, value in line.items() if not key.startswith(("timing_s/", "perf/", "timestamp_s"))}
        for line in read
    ]


def descendants(pid: int) -> list[int]:
    """All processes below `pid`."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [found for child in map(int, children) for found in (child, *descendants(child))]


def command(pid: int) -> bytes:
    """The command line of a process, empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tiny run that went from demonstrations to its report."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    code, output = finish(start(folder, *TINY))
    assert code == 0, output
    return folder


def copy_until_step(finished: Path, folder: Path, step: int) -> Path:
    """What a run that was killed after `step` would have left."""
    shutil.copytree(finished, folder)
    for checkpoint in (folder / "checkpoints").iterdir():
        if int(checkpoint.name.rpartition("_")[2]) > step:
            shutil.rmtree(checkpoint)
    return folder


def test_a_run_leaves_what_people_look_at(finished: Path):
    """Status done, a curve, complete checkpoints, the start from demonstrations, and no half-written file."""
    status = json.loads((finished / "status.json").read_text())

    assert (status["phase"], status["step"], status["total_steps"]) == ("done", 4, 4)
    assert sorted(path.name for path in (finished / "checkpoints").iterdir()) == ["global_step_2", "global_step_4"]
    assert (finished / "sft" / "model.safetensors").is_file()
    assert not list(finished.rglob("*.partial"))
    with Image.open(finished / "learning_curve.png") as curve:
        assert curve.width > 600


def test_every_step_has_the_documented_metrics(finished: Path):
    """One line a step under verl's names, with a validation where one was due."""
    read = [json.loads(line) for line in (finished / "metrics.jsonl").read_text().splitlines()]

    assert [line["step"] for line in read] == [0, 1, 2, 3, 4]
    assert [line["step"] for line in read if "val/success_rate" in line] == [0, 2, 4]
    assert {
        "train/success_rate",
        "actor/pg_loss",
        "actor/pg_clipfrac",
        "actor/ppo_kl",
        "actor/grad_norm",
        "actor/lr",
        "timing_s/step",
        "timing_s/rollout",
        "timing_s/update",
        "perf/env_steps_per_s",
    } <= read[1].keys()


def test_a_resumed_run_goes_on_bit_for_bit(finished: Path, tmp_path: Path):
    """From the checkpoint of step 2, steps 3 and 4 give the same metrics and the same weights as without the stop."""
    folder = copy_until_step(finished, tmp_path / "run", step=2)
    code, output = finish(start(folder, *TINY, f"actor_rollout_ref.model.path={finished / 'sft'}"))

    assert code == 0, output
    assert "resuming at" in output
    assert lines(folder) == lines(finished)
    expected, found = (
        load_file(run / "checkpoints" / "global_step_4" / "policy" / "model.safetensors") for run in (finished, folder)
    )
    assert expected.keys() == found.keys()
    assert all(expected[name].equal(found[name]) for name in expected)


def test_a_finished_checkpoint_can_be_evaluated(finished: Path, tmp_path: Path):
    """val_only with the path of a checkpoint's policy measures that policy."""
    policy = finished / "checkpoints" / "global_step_4" / "policy"
    code, output = finish(start(tmp_path, *TINY, "trainer.val_only=true", f"actor_rollout_ref.model.path={policy}"))

    assert code == 0, output
    assert "validation after step 0: success" in output


def test_sigterm_saves_and_leaves(finished: Path, tmp_path: Path):
    """The step in progress is finished and saved, and the exit code is 143, long before the last step."""
    process = start(
        tmp_path,
        *TINY,
        f"actor_rollout_ref.model.path={finished / 'sft'}",
        "trainer.total_epochs=1000",
        "trainer.save_freq=-1",
        "trainer.test_freq=-1",
    )
    wait_for_line(process, "step 2/1000")
    process.terminate()
    asked = time.monotonic()
    code, output = finish(process)

    assert code == 143, output
    assert time.monotonic() - asked < 60
    assert "which is saved" in output
    assert len(list((tmp_path / "checkpoints").glob("global_step_*/trainer.json"))) == 1


def test_a_rank_that_dies_ends_the_run(finished: Path, tmp_path: Path):
    """The run names the rank, ends with the code that a restart answers, and leaves no environment behind."""
    process = start(tmp_path, *TINY, f"actor_rollout_ref.model.path={finished / 'sft'}", "trainer.total_epochs=1000")
    wait_for_line(process, "step 2/1000")
    ranks = [pid for pid in descendants(process.pid) if b"ray::RankActor" in command(pid)]
    environments = [pid for pid in descendants(process.pid) if b"environment_worker" in command(pid)]
    os.kill(ranks[0], signal.SIGKILL)
    code, output = finish(process)

    assert (len(ranks), len(environments)) == (2, 2)
    assert code == 4, output
    assert not any(b"environment_worker" in command(pid) for pid in environments)
    assert "RankDiedError: rank" in output
    assert "a restart goes on from the newest checkpoint" in output


def test_a_cluster_without_room_is_refused_after_the_deadline(tmp_path: Path):
    """The text says what is wanted, what there is, and what to change."""
    code, output = finish(start(tmp_path, "trainer.n_gpus_per_node=1", "trainer.placement_timeout_s=1"))

    assert code == 3, output
    assert "1 ranks want 1 CPU and 1 GPU each, and the cluster has 1 nodes" in output


def test_a_cluster_that_is_not_there_is_refused_at_once(tmp_path: Path):
    """With RAY_ADDRESS set, no other cluster is started instead; the text names the address."""
    code, output = finish(start(tmp_path, ray_address="127.0.0.1:9"))

    assert code == 3, output
    assert "cannot connect to the Ray cluster at RAY_ADDRESS=127.0.0.1:9: [Errno 111] Connection refused" in output


def test_a_wrong_key_ends_before_anything_starts(tmp_path: Path):
    """Exit code 2 and one sentence."""
    code, output = finish(start(tmp_path, "data.n_sample=8"))

    assert (code, output) == (2, "ConfigError: unknown key data.n_sample; did you mean data.n_samples?\n")


@pytest.mark.slow
def test_a_short_run_learns(tmp_path: Path):
    """From demonstrations that mostly miss to more than 80 % of the held-out episodes in ten steps."""
    code, output = finish(start(tmp_path, "trainer.nnodes=2", "trainer.total_epochs=10", "trainer.test_freq=-1"))
    assert code == 0, output
    rates = [line["val/success_rate"] for line in lines(tmp_path) if "val/success_rate" in line]

    assert rates[0] <= 0.45
    assert rates[-1] >= 0.8
    with Image.open(tmp_path / "success.gif") as film:
        assert film.n_frames > 4
