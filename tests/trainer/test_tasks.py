"""Instructions and the rules of success."""

import numpy as np
import pytest

from rlinf_runtime.trainer.language import NUM_TOKENS, tokenize
from rlinf_runtime.trainer.tasks import COLORS, SUITES, Outcome, Task, judge

START_XY = np.array([[-0.1, 0.0], [0.0, 0.0], [0.1, 0.0]])  # red, green, blue
FAR = np.array([0.0, 0.15, 0.1])


def after(task: Task, *, tip: np.ndarray = FAR, moved: dict[str, tuple[float, float]] | None = None) -> Outcome:
    """The verdict when some blocks have moved by (dx, dy) metres."""
    cubes_xy = START_XY.copy()
    for color, shift in (moved or {}).items():
        cubes_xy[COLORS.index(color)] += shift
    return judge(task, start_xy=START_XY, cubes_xy=cubes_xy, tip=tip)


@pytest.mark.parametrize(
    ("tip", "outcome"),
    [
        ((-0.08, 0.0, 0.05), Outcome.SUCCESS),
        ((-0.07, 0.0, 0.05), Outcome.RUNNING),  # 3 cm beside its centre
        ((-0.08, 0.0, 0.06), Outcome.RUNNING),  # above it
        ((0.0, 0.0, 0.05), Outcome.RUNNING),  # at the green one
    ],
)
def test_touch_wants_the_tip_at_the_named_block(tip: tuple[float, float, float], outcome: Outcome):
    """Within 2.2 cm of the centre in the plane and below 5.2 cm."""
    assert after(Task("touch", "red"), tip=np.array(tip)) is outcome


@pytest.mark.parametrize(
    ("shift", "outcome"),
    [
        ((0.0, 0.06), Outcome.SUCCESS),
        ((0.0, 0.04), Outcome.RUNNING),
        ((0.06, 0.0), Outcome.RUNNING),  # sideways
        ((0.0, -0.06), Outcome.RUNNING),  # towards the camera
    ],
)
def test_push_wants_the_named_block_moved_away(shift: tuple[float, float], outcome: Outcome):
    """More than 5 cm in +y."""
    assert after(Task("push", "green"), moved={"green": shift}) is outcome


@pytest.mark.parametrize("task", SUITES["touch_push"], ids=lambda task: task.instruction)
def test_moving_another_block_fails_even_when_the_task_is_done(task: Task):
    """A bystander that moved by more than 2 cm ends the episode."""
    bystander = next(color for color in COLORS if color != task.color)
    moved = {bystander: (0.0, 0.021), task.color: (0.0, 0.06)}

    assert after(task, moved=moved) is Outcome.FAILURE


def test_shoving_the_block_that_should_be_touched_fails():
    """More than 3 cm is a push."""
    assert after(Task("touch", "blue"), moved={"blue": (0.031, 0.0)}) is Outcome.FAILURE


def test_every_instruction_is_in_the_vocabulary():
    """All tasks differ once tokenized, and all have one length."""
    tokenized = {tuple(tokenize(task.instruction)) for task in SUITES["touch_push"]}

    assert len(tokenized) == 6
    assert {len(tokens) for tokens in tokenized} == {NUM_TOKENS}


def test_an_unknown_word_is_refused():
    """The text names the word and the vocabulary."""
    with pytest.raises(ValueError, match=r"unknown words \['yellow'\]; the vocabulary is .*'red'"):
        tokenize("touch the yellow block")
