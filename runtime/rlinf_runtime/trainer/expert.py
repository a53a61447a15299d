"""The scripted expert, with a tool that is mis-calibrated: it goes where its tool *believes* the goal to be.

A policy that imitates it looks, understands the instruction, goes to the named block and mostly misses. That is the
start that GRPO repairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rlinf_runtime.trainer.tasks import Task

_TOUCH_M = 0.044
_PUSH_M = 0.024
_CLIMB = 1.2
"""Height over the goal's height for every metre of distance in the plane: the tip comes down on a cone."""
_HOVER_M = 0.095
_BEHIND_M = 0.055
"""How far before the block a push starts."""
_ALIGNED_M = 0.02


def plan_chunk(
    task: Task,
    *,
    cubes_xy: NDArray[np.float64],
    commanded: NDArray[np.float64],
    tool_offset_m: tuple[float, float],
    num_steps: int,
    step_m: float,
) -> NDArray[np.float64]:
    """Plans the next actions from what is seen now.

    Args:
        task: what was asked for.
        cubes_xy: the blocks' places, [3, 2] in metres.
        commanded: the commanded tip, [3] in metres.
        tool_offset_m: the error of the tool's calibration in x and y; (0, 0) is a perfect expert.
        num_steps: actions to plan.
        step_m: what an action of 1 moves the commanded tip by.

    Returns:
        Actions in [-1, 1], [num_steps, 3].
    """
    goal_xy = cubes_xy[task.cube] + np.asarray(tool_offset_m)
    tip = commanded.copy()
    actions = np.empty((num_steps, 3))
    for index in range(num_steps):
        target = _touch_target(tip, goal_xy) if task.verb == "touch" else _push_target(tip, goal_xy)
        move = (target - tip) / step_m
        actions[index] = move / max(1.0, float(np.linalg.norm(move)))
        tip = tip + step_m * actions[index]
    return actions


def _touch_target(tip: NDArray[np.float64], goal_xy: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([*goal_xy, _approach_height(tip, goal_xy, _TOUCH_M)])


def _push_target(tip: NDArray[np.float64], goal_xy: NDArray[np.float64]) -> NDArray[np.float64]:
    start_xy = goal_xy - np.array([0.0, _BEHIND_M])
    is_aligned = abs(tip[0] - goal_xy[0]) < _ALIGNED_M and start_xy[1] - _ALIGNED_M < tip[1] < goal_xy[1] + _BEHIND_M
    if is_aligned and tip[2] < _PUSH_M + _ALIGNED_M:
        return np.array([goal_xy[0], tip[1] + 1.0, _PUSH_M])
    return np.array([*start_xy, _approach_height(tip, start_xy, _PUSH_M)])


def _approach_height(tip: NDArray[np.float64], goal_xy: NDArray[np.float64], height_m: float) -> float:
    distance_m = float(np.linalg.norm(tip[:2] - goal_xy))
    return min(height_m + _CLIMB * distance_m, _HOVER_M)
