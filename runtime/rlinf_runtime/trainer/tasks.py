"""What the robot is told to do, and when it has done it: the instructions and the rules of success.

Positions are in metres in the table's frame: x to the right, y away from the camera, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLORS = ("red", "green", "blue")
CUBE_HALF_SIZE_M = 0.022
HORIZON_STEPS = 16
"""Control steps after which an episode without success has failed."""
ACTION_TOKEN_LEN = 3
"""Numbers, and so tokens, of one action: the displacement of the commanded tip in x, y and z."""

TOUCH_RADIUS_M = 0.022
TOUCH_HEIGHT_M = 0.052
TOUCH_DRIFT_M = 0.03
PUSH_DISTANCE_M = 0.05
BYSTANDER_DRIFT_M = 0.02


class Outcome(Enum):
    """The state of an episode after a control step."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Task:
    """One verb applied to one block."""

    verb: Literal["touch", "push"]
    color: str

    @property
    def instruction(self) -> str:
        """The sentence that the policy reads."""
        if self.verb == "touch":
            return f"touch the {self.color} block"
        return f"push the {self.color} block away"

    @property
    def cube(self) -> int:
        """Index of the named block in `COLORS` order."""
        return COLORS.index(self.color)


SUITES: dict[str, tuple[Task, ...]] = {
    "touch": tuple(Task("touch", color) for color in COLORS),
    "push": tuple(Task("push", color) for color in COLORS),
    "touch_push": tuple(Task(verb, color) for verb in ("touch", "push") for color in COLORS),
}
"""Task suites by the name that `data.task_suite_name` takes."""


def judge(
    task: Task, *, start_xy: NDArray[np.float64], cubes_xy: NDArray[np.float64], tip: NDArray[np.float64]
) -> Outcome:
    """Says whether a control step ended the episode.

    Args:
        task: what was asked for.
        start_xy: the blocks' places at the start of the episode, in metres, [3, 2].
        cubes_xy: their places now, [3, 2].
        tip: the fingertip now, [3].
    """
    drift_m = np.linalg.norm(cubes_xy - start_xy, axis=1)
    bystanders = np.delete(drift_m, task.cube)
    if bystanders.max() > BYSTANDER_DRIFT_M:
        return Outcome.FAILURE
    if task.verb == "push":
        pushed_m = cubes_xy[task.cube, 1] - start_xy[task.cube, 1]
        return Outcome.SUCCESS if pushed_m > PUSH_DISTANCE_M else Outcome.RUNNING
    if drift_m[task.cube] > TOUCH_DRIFT_M:
        return Outcome.FAILURE
    distance_m = np.linalg.norm(tip[:2] - cubes_xy[task.cube])
    touched = distance_m < TOUCH_RADIUS_M and tip[2] < TOUCH_HEIGHT_M
    return Outcome.SUCCESS if touched else Outcome.RUNNING
