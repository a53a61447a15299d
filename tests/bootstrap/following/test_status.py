"""The run's status for engines that write none."""

import json
from dataclasses import replace

import pytest

from event_files import event, record
from rlinf_runtime.bootstrap.attempt import preview
from rlinf_runtime.bootstrap.following.follower import Follower
from rlinf_runtime.bootstrap.following.status import RunStatus


@pytest.fixture
def status_of(tmp_path):
    """What is in the file, but for its time."""

    def read():
        content = json.loads((tmp_path / "run/status.json").read_text())
        assert content.pop("updated_at")
        return content

    return read


def test_the_log_becomes_a_status(config_of, verl_log, status_of):
    """Step, success rate and checkpoint, in the fields of the native trainer's file."""
    config = config_of("verl")
    follower = Follower(config, preview(config))
    follower.check()
    assert status_of() == {"phase": "train", "step": 0, "success_rate": None, "checkpoint": None}
    verl_log(0, {"val/test_score/all": 0.25})
    verl_log(1, {"actor/pg_loss": 0.5})
    follower.hear("(main_task pid=7) Saving actor checkpoint to /runs/rlinf/attempts/1/checkpoints/actor/global_step_1")
    follower.check()
    assert status_of() == {
        "phase": "train",
        "step": 2,
        "success_rate": 0.25,
        "checkpoint": "/runs/rlinf/attempts/1/checkpoints/actor/global_step_1",
    }
    follower.close()


def test_the_event_files_of_rlinf_become_a_status(config_of, status_of, tmp_path):
    """Of steps, which it counts over all starts, and of the success of its validation."""
    config = config_of("rlinf")
    follower = Follower(config, replace(preview(config), first_step=10))
    folder = tmp_path / "run/attempts/1/tensorboard/all"
    folder.mkdir(parents=True)
    scalars = [("eval/success_once", 0.25, 10), ("env/success_once", 0.75, 10), ("train/loss", 1.0, 11)]
    content = b"".join(record(event(name, value, step, 17.0)) for name, value, step in scalars)
    (folder / "events.out.tfevents.17.rlinf-0").write_bytes(content)
    follower.hear("(EmbodiedRunner pid=7) Saving checkpoint at step 12.")
    follower.check()
    assert status_of() == {"phase": "train", "step": 12, "success_rate": 0.25, "checkpoint": "global_step_12"}
    follower.close()


def test_nothing_new_is_not_written(config_of, tmp_path):
    """The volume is shared."""
    config = config_of("verl")
    follower = Follower(config, preview(config))
    follower.check()
    (tmp_path / "run/status.json").unlink()
    follower.check()
    assert not (tmp_path / "run/status.json").exists()


def test_the_native_trainers_own_file_is_left_alone(config_of, tmp_path):
    """It knows more."""
    config = config_of("native")
    follower = Follower(config, preview(config))
    RunStatus(config, preview(config)).write(follower.progress)
    assert not (tmp_path / "run/status.json").exists()
