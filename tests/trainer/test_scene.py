"""The tabletop's physics, and the scripted expert in it."""

import numpy as np
import pytest

from rlinf_runtime.trainer.episodes import Episode, Split, episodes
from rlinf_runtime.trainer.expert import plan_chunk
from rlinf_runtime.trainer.scene import ACTION_STEP_M, TIP_HIGH_M, Scene, compile_model
from rlinf_runtime.trainer.tasks import CUBE_HALF_SIZE_M, HORIZON_STEPS, SUITES, Outcome, Task

TOUCH_RED = Task("touch", "red")


@pytest.fixture(scope="module")
def model():
    """The compiled scene; no renderer is opened in this process."""
    return compile_model()


def run_expert(model, episode: Episode, *, tool_offset_m: tuple[float, float] = (0.0, 0.0)) -> Scene:
    """Executes the expert's plans without noise until the episode ends."""
    scene = Scene(model, episode)
    while scene.outcome is Outcome.RUNNING:
        plan = plan_chunk(
            scene.task,
            cubes_xy=scene.cubes_xy,
            commanded=scene.commanded,
            tool_offset_m=tool_offset_m,
            num_steps=4,
            step_m=ACTION_STEP_M,
        )
        for action in plan:
            if scene.step(action) is not Outcome.RUNNING:
                break
    return scene


def success_rate(model, suite: str, *, tool_offset_m: tuple[float, float]) -> float:
    """Share of 60 episodes that the expert solves."""
    drawn = episodes(Split.DEMONSTRATION, SUITES[suite], run_seed=0, indices=range(60))
    return np.mean(
        [run_expert(model, episode, tool_offset_m=tool_offset_m).outcome is Outcome.SUCCESS for episode in drawn]
    ).item()


@pytest.mark.parametrize("suite", ["touch", "push"])
def test_a_calibrated_expert_solves_the_tasks(model, suite: str):
    """At least 90 % within the horizon: the tasks can be done in the time there is."""
    assert success_rate(model, suite, tool_offset_m=(0.0, 0.0)) >= 0.9


def test_a_miscalibrated_tool_misses(model):
    """2.8 cm beside the centre is outside the radius of a touch."""
    assert success_rate(model, "touch", tool_offset_m=(0.024, -0.015)) == 0.0


def test_the_same_seed_is_the_same_scene(model):
    """Physics and draws are deterministic, so that a filmed episode ends as the measured one did."""
    ends = [run_expert(model, Episode(5, TOUCH_RED)) for _ in range(2)]

    assert np.array_equal(ends[0].data.qpos, ends[1].data.qpos)


def test_blocks_stay_where_they_are_when_nobody_touches_them(model):
    """Doing nothing for the whole horizon fails, with every block at rest on the table."""
    scene = Scene(model, Episode(1, TOUCH_RED))
    before = scene.cubes_xy
    while scene.outcome is Outcome.RUNNING:
        scene.step(np.zeros(3))

    assert scene.outcome is Outcome.FAILURE
    assert scene.num_steps == HORIZON_STEPS
    np.testing.assert_allclose(scene.cubes_xy, before, atol=1e-3)
    np.testing.assert_allclose(scene.data.body("red").xpos[2], CUBE_HALF_SIZE_M, atol=1e-3)


def test_an_action_of_one_moves_the_commanded_tip_by_a_step(model):
    """Actions are in units of 3.5 cm, and the finger follows the command."""
    scene = Scene(model, Episode(1, TOUCH_RED))
    before = scene.commanded
    scene.step(np.array([1.0, 0.0, 0.0]))

    np.testing.assert_allclose(scene.commanded - before, [ACTION_STEP_M, 0.0, 0.0])
    for _ in range(4):
        scene.step(np.zeros(3))
    np.testing.assert_allclose(scene.tip, scene.commanded, atol=2e-3)


def test_the_commanded_tip_stays_in_its_workspace(model):
    """Larger actions are cut to 1, and no number of them leaves the box."""
    scene = Scene(model, Episode(1, TOUCH_RED))
    for _ in range(12):
        scene.step(np.array([0.0, 0.0, 9.0]))

    assert scene.commanded[2] == TIP_HIGH_M[2]


def test_plans_are_within_the_action_range(model):
    """A step is never longer than 1, in any direction."""
    scene = Scene(model, Episode(3, TOUCH_RED))
    plan = plan_chunk(
        TOUCH_RED,
        cubes_xy=scene.cubes_xy,
        commanded=scene.commanded,
        tool_offset_m=(0.0, 0.0),
        num_steps=4,
        step_m=ACTION_STEP_M,
    )

    assert plan.shape == (4, 3)
    assert np.linalg.norm(plan, axis=1).max() <= 1.0 + 1e-9
