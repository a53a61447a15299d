"""Environments that fail, videos that fill disks, and trials that no suite has."""

import pickle
import queue
from types import SimpleNamespace

import numpy as np
import pytest

ROLLOUT = "verl.workers.rollout.rob_rollout"
# Lets the module be imported: it asks for TensorFlow.
IMPORTABLE = "tensorflow-images"
WORKS, FAILS = {"model_family": "openvla"}, {"model_family": "no egl"}


def test_a_failing_environment_is_a_queue_that_stays_empty(engine):
    """The fault: the process tries for ever, and its parent knows nothing."""
    with pytest.raises(queue.Empty):
        engine.load(ROLLOUT, IMPORTABLE).roll_out(FAILS)


def test_a_failing_environment_ends_with_the_reason(engine):
    """The cure: three attempts, and the error where the parent waits."""
    rollout = engine.load(ROLLOUT, IMPORTABLE, "environment-failure")
    with pytest.raises(RuntimeError) as error:
        rollout.roll_out(FAILS, wait_s=60)
    assert str(error.value) == (
        "the environment of libero_10, task 0, trial 0 could not be created in 3 attempts: ImportError: Cannot "
        "initialize a EGL device display. Look at MUJOCO_GL and MUJOCO_EGL_DEVICE_ID, and whether the container has "
        "NVIDIA_DRIVER_CAPABILITIES=all"
    )


def test_an_environment_that_works_is_as_before(engine):
    """Its observations arrive."""
    rollout = engine.load(ROLLOUT, IMPORTABLE, "environment-failure")
    assert rollout.roll_out(WORKS, wait_s=60) == ("start", "after move")


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"action": "fall"}, "trial 0 failed: ArithmeticError: the physics is unstable"),
        ({"trial_id": 7}, "trial 7 failed: IndexError: list index out of range"),
    ],
)
def test_an_error_in_an_environment_reaches_the_parent(engine, broken, reason):
    """In a step, and before the environment is created."""
    rollout = engine.load(ROLLOUT, IMPORTABLE, "environment-failure")
    with pytest.raises(RuntimeError, match=reason):
        rollout.roll_out(WORKS, **broken, wait_s=60)


@pytest.fixture
def save(engine, monkeypatch, tmp_path):
    """Saves a video of two images with the patch, in a working folder of its own."""
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")
    monkeypatch.delenv("RLINF_VIDEO_FOLDER", raising=False)
    save_rollout_video = engine.load("verl.utils.libero_utils", IMPORTABLE, "validation-videos").save_rollout_video
    return lambda: save_rollout_video(["an image"] * 2, "traj1", "libero_10_task_0_trial_3", 24, True)


def test_a_video_goes_to_the_working_folder(engine, monkeypatch, tmp_path):
    """The fault: that is a pod's ephemeral disk."""
    monkeypatch.chdir(tmp_path)
    save_rollout_video = engine.load("verl.utils.libero_utils", IMPORTABLE).save_rollout_video
    save_rollout_video(["an image"], "traj1", "libero_10_task_0_trial_3", 24, True)
    assert len(list((tmp_path / "rollouts").rglob("*.mp4"))) == 1


def test_a_video_is_written_only_when_a_folder_is_named(save, tmp_path):
    """Off by default."""
    assert save() == ""
    assert list(tmp_path.rglob("*.mp4")) == []


def test_a_video_goes_to_the_folder_that_is_named(save, monkeypatch, tmp_path):
    """By experiment and step."""
    monkeypatch.setenv("RLINF_VIDEO_FOLDER", str(tmp_path / "videos"))
    save()
    (video,) = tmp_path.rglob("*.mp4")
    assert video == tmp_path / "videos/traj1/step_24/libero_10_task_0_trial_3_success.mp4"
    assert video.read_text() == "2 images"


def test_a_video_that_cannot_be_written_costs_no_run(save, engine, monkeypatch, tmp_path):
    """A full disk, say; here the folder is a file."""
    (tmp_path / "videos").write_text("")
    monkeypatch.setenv("RLINF_VIDEO_FOLDER", str(tmp_path / "videos"))
    save()
    assert engine.log[-1].startswith(f"no video {tmp_path}/videos/traj1/step_24/")


def test_trials_beyond_the_initial_states_are_refused(engine):
    """Before any rollout, with the number that the task with the fewest has."""
    dataset = engine.load("verl.utils.dataset.rob_dataset", "initial-states").LIBERO_Dataset
    assert len(dataset("libero_10", num_trials_per_task=2).items) == 4
    with pytest.raises(ValueError, match=r"data\.num_trials_per_task is 3, but must be at most 2: a task of libero_10"):
        dataset("libero_10", num_trials_per_task=3)


def test_trials_beyond_the_initial_states_were_items(engine):
    """The fault: the rollout meets them as an IndexError in a process of its own."""
    assert len(engine.load("verl.utils.dataset.rob_dataset").LIBERO_Dataset("libero_10", 3).items) == 6


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """A task whose initial states, a NumPy array, lie in a file as LIBERO has them."""
    import torch

    monkeypatch.setenv("LIBERO_TEST_FOLDER", str(tmp_path))
    torch.save(np.ones((50, 7)), tmp_path / "a.init")
    return SimpleNamespace(problem_folder=".", init_states_file="a.init")


def test_initial_states_are_no_weights(engine, stored):
    """The fault: PyTorch reads only weights by default."""
    with pytest.raises(pickle.UnpicklingError, match="weights_only"):
        engine.load("libero.libero.benchmark").Benchmark([stored]).get_task_init_states(0)


def test_initial_states_are_read_as_arrays(engine, stored):
    """The cure."""
    benchmark = engine.load("libero.libero.benchmark", "initial-states-file").Benchmark([stored])
    assert benchmark.get_task_init_states(0).shape == (50, 7)
