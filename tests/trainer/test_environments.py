"""Real environment worker processes, as a rank uses them."""

import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest

from rlinf_runtime.trainer.environments import Demonstrate, Environments, Film, Step
from rlinf_runtime.trainer.episodes import Split, episodes
from rlinf_runtime.trainer.errors import TrainerError
from rlinf_runtime.trainer.tasks import SUITES

EPISODES = episodes(Split.VALIDATION, SUITES["touch_push"], run_seed=0, indices=range(5))


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def environments(request: pytest.FixtureRequest) -> Iterator[Environments]:
    """Environments on one or two worker processes."""
    opened = Environments(request.param)
    yield opened
    opened.close()


def test_observations_come_in_the_order_of_the_episodes(environments: Environments):
    """Pixels are uint8 and differ between scenes; the same episodes look the same again."""
    first = environments.reset(EPISODES)
    again = environments.reset(EPISODES)
    backwards = environments.reset(EPISODES[::-1])

    assert first.images.shape == (5, 64, 64, 3)
    assert first.images.dtype == np.uint8
    assert first.images.std() > 5
    assert np.array_equal(first.images, again.images)
    assert np.array_equal(first.images, backwards.images[::-1])
    assert np.array_equal(first.tips, backwards.tips[::-1])


def test_only_the_chosen_episodes_advance_and_the_horizon_ends_them(environments: Environments):
    """Four chunks of four idle steps end episodes 1 and 4 in failure; the last observation is of nobody."""
    environments.reset(EPISODES)
    slots = np.array([1, 4])
    results = [environments.step(slots, np.zeros((2, 4, 3), dtype=np.float32)) for _ in range(4)]

    assert [result.num_steps.tolist() for result in results] == [[4, 4]] * 4
    assert [result.finished.all() for result in results] == [False, False, False, True]
    assert not results[-1].success.any()
    assert results[0].observations.images.shape == (2, 64, 64, 3)
    assert results[-1].observations.images.shape == (0, 64, 64, 3)


def test_demonstrations_have_a_label_for_every_state(environments: Environments):
    """Images, tips, instructions and plans have one length, and repeat with their seeds."""
    request = Demonstrate(
        episodes=tuple(EPISODES), chunk_len=4, tool_offset_m=(0.02, 0.0), action_noise=0.1, chunk_noise=0.1
    )
    demonstrations = environments.demonstrate(request)
    count = len(demonstrations.images)

    assert count >= len(EPISODES)
    assert demonstrations.actions.shape == (count, 4, 3)
    assert demonstrations.instructions.shape == (count, 5)
    assert np.abs(demonstrations.actions).max() <= 1.0
    assert np.array_equal(demonstrations.tips, environments.demonstrate(request).tips)


def test_a_film_has_a_large_frame_a_step(environments: Environments):
    """Three actions give four frames."""
    film = environments.film(Film(EPISODES[0], np.zeros((3, 3), dtype=np.float32)))

    assert film.shape == (4, 320, 320, 3)


def test_a_worker_that_dies_is_reported():
    """The error names the exit code instead of waiting for an answer."""
    environments = Environments(1)
    environments.reset(EPISODES)
    os.kill(environments._workers[0]._process.pid, signal.SIGKILL)

    with pytest.raises(TrainerError, match=r"environment worker .* ended with code -9"):
        environments.step(np.array([0]), np.zeros((1, 4, 3), dtype=np.float32))
    environments.close()


def test_a_request_that_fails_brings_its_reason():
    """Stepping before any reset is an error in the worker, which arrives here with its text."""
    environments = Environments(1)
    worker = environments._workers[0]
    worker.send(Step(np.array([0]), np.zeros((1, 4, 3), dtype=np.float32)))

    with pytest.raises(TrainerError, match=r"environment worker .* failed: IndexError: list index out of range"):
        worker.receive()
    environments.close()


def test_a_machine_that_cannot_render_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch):
    """The reason comes with the first answer: the libraries, and what MuJoCo itself said."""
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "99")
    environments = Environments(1)

    with pytest.raises(TrainerError, match=r"install EGL .*apt-get install libegl1 .*MUJOCO_EGL_DEVICE_ID"):
        environments.reset(EPISODES)
    environments.close()
