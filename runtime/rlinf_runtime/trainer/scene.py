"""The MuJoCo tabletop: three coloured blocks, one finger on three slide joints, one camera.

MuJoCo's EGL must never share a process with torch (creating an optimizer there crashes): only environment worker
processes render what is made here.
"""

# MuJoCo is an extension module without type information.
# pyright: reportAttributeAccessIssue=false, reportUnknownParameterType=false

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from rlinf_runtime.trainer.tasks import COLORS, CUBE_HALF_SIZE_M, HORIZON_STEPS, Outcome, judge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rlinf_runtime.trainer.episodes import Episode

ACTION_STEP_M = 0.035
"""What an action of 1 moves the commanded tip by, in a control step."""
IMAGE_SIZE = 64
FILM_SIZE = 320
TIP_LOW_M = np.array([-0.18, -0.2, 0.02])
TIP_HIGH_M = np.array([0.18, 0.2, 0.16])

_PHYSICS_STEPS = 6
_START_TIP_M = np.array([0.0, -0.04, 0.12])
_START_SPREAD_M = np.array([0.05, 0.05, 0.015])
_CUBES_LOW_M = np.array([-0.12, -0.09])
_CUBES_HIGH_M = np.array([0.12, 0.07])
_MIN_CUBE_DISTANCE_M = 0.085
_COLOR_RGBA = {"red": "0.85 0.15 0.12 1", "green": "0.15 0.7 0.2 1", "blue": "0.15 0.3 0.9 1"}

_CUBE_XML = """
    <body name="{color}">
      <freejoint name="{color}"/>
      <geom type="box" size="{size} {size} {size}" mass="0.06" rgba="{rgba}" friction="0.8 0.005 0.0001"/>
    </body>"""

# No shadows, no anti-aliasing, coarse curves: the software renderer is four times faster and the policy does not mind.
_SCENE_XML = """
<mujoco model="tabletop">
  <option timestep="0.01" integrator="implicitfast"/>
  <visual>
    <global offwidth="{film_size}" offheight="{film_size}"/>
    <quality offsamples="0" shadowsize="0" numslices="8" numstacks="4"/>
    <headlight ambient="0.45 0.45 0.45" diffuse="0.45 0.45 0.45" specular="0 0 0"/>
  </visual>
  <worldbody>
    <camera name="table" pos="0 -0.3 0.5" xyaxes="1 0 0 0 0.857 0.515" fovy="38"/>
    <geom name="table" type="plane" size="1 1 0.1" rgba="0.78 0.74 0.68 1"/>{cubes}
    <body name="finger" gravcomp="1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0.009 0 0 0.08" size="0.009" mass="0.2" rgba="0.1 0.1 0.12 1"/>
      <site name="tip" pos="0 0 0" size="0.001" rgba="0 0 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <position joint="x" kp="400" kv="18"/>
    <position joint="y" kp="400" kv="18"/>
    <position joint="z" kp="400" kv="18"/>
  </actuator>
</mujoco>"""


def compile_model() -> mujoco.MjModel:
    """Compiles the scene; one model serves any number of scenes."""
    cubes = "".join(_CUBE_XML.format(color=color, size=CUBE_HALF_SIZE_M, rgba=_COLOR_RGBA[color]) for color in COLORS)
    return mujoco.MjModel.from_xml_string(_SCENE_XML.format(cubes=cubes, film_size=FILM_SIZE))


def draw_cubes_xy(rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws the blocks' places, [3, 2] in metres, at least `_MIN_CUBE_DISTANCE_M` from each other."""
    while True:
        cubes_xy = rng.uniform(_CUBES_LOW_M, _CUBES_HIGH_M, size=(len(COLORS), 2))
        gaps_m = [np.linalg.norm(cubes_xy[i] - cubes_xy[j]) for i in range(len(COLORS)) for j in range(i)]
        if min(gaps_m) >= _MIN_CUBE_DISTANCE_M:
            return cubes_xy


class Scene:
    """One episode in progress."""

    def __init__(self, model: mujoco.MjModel, episode: Episode) -> None:
        self.task = episode.task
        self.outcome = Outcome.RUNNING
        self.num_steps = 0
        self._model = model
        self.data = mujoco.MjData(model)
        rng = np.random.default_rng(episode.seed)
        self._start_xy = draw_cubes_xy(rng)
        self.commanded = rng.uniform(_START_TIP_M - _START_SPREAD_M, _START_TIP_M + _START_SPREAD_M)
        self._place()

    def _place(self) -> None:
        for index, color in enumerate(COLORS):
            self.data.joint(color).qpos[:] = [*self._start_xy[index], CUBE_HALF_SIZE_M, 1, 0, 0, 0]
        for axis, position in zip("xyz", self.commanded, strict=True):
            self.data.joint(axis).qpos[0] = position
        self.data.ctrl[:] = self.commanded
        mujoco.mj_forward(self._model, self.data)

    @property
    def cubes_xy(self) -> NDArray[np.float64]:
        """The blocks' places in the plane, [3, 2] in metres."""
        return np.stack([self.data.body(color).xpos[:2] for color in COLORS])

    @property
    def tip(self) -> NDArray[np.float64]:
        """The fingertip, [3] in metres."""
        return self.data.site("tip").xpos.copy()

    def step(self, action: NDArray[np.float64]) -> Outcome:
        """Moves the commanded tip by `action` (3 numbers in [-1, 1]) for one control step of 60 ms."""
        moved = self.commanded + ACTION_STEP_M * np.clip(action, -1.0, 1.0)
        self.commanded = np.clip(moved, TIP_LOW_M, TIP_HIGH_M)
        self.data.ctrl[:] = self.commanded
        mujoco.mj_step(self._model, self.data, nstep=_PHYSICS_STEPS)
        mujoco.mj_kinematics(self._model, self.data)
        self.num_steps += 1
        self.outcome = judge(self.task, start_xy=self._start_xy, cubes_xy=self.cubes_xy, tip=self.tip)
        if self.outcome is Outcome.RUNNING and self.num_steps >= HORIZON_STEPS:
            self.outcome = Outcome.FAILURE
        return self.outcome
