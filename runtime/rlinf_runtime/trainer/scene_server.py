"""What an environment worker does: MuJoCo scenes that advance, are seen, demonstrated and filmed on request."""

# MuJoCo is an extension module without type information.
# pyright: reportAttributeAccessIssue=false, reportUnknownParameterType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from rlinf_runtime.trainer.environments import (
    Demonstrate,
    Demonstrations,
    Film,
    Observations,
    Request,
    Reset,
    Step,
    StepResults,
)
from rlinf_runtime.trainer.expert import plan_chunk
from rlinf_runtime.trainer.language import tokenize
from rlinf_runtime.trainer.scene import ACTION_STEP_M, FILM_SIZE, IMAGE_SIZE, Scene, compile_model
from rlinf_runtime.trainer.tasks import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SceneServer:
    """The scenes of one process and their renderers."""

    def __init__(self) -> None:
        """Compiles the scene and opens the renderer, so that a missing library is found before the first episode."""
        self._model = compile_model()
        self._renderers = {IMAGE_SIZE: mujoco.Renderer(self._model, IMAGE_SIZE, IMAGE_SIZE)}
        self._scenes: list[Scene] = []

    def answer(self, request: Request) -> Any:
        """Serves one request."""
        if isinstance(request, Reset):
            return self.reset(request)
        if isinstance(request, Step):
            return self.step(request)
        if isinstance(request, Demonstrate):
            return self.demonstrate(request)
        return self.film(request)

    def reset(self, request: Reset) -> Observations:
        """Starts new episodes."""
        self._scenes = [Scene(self._model, episode) for episode in request.episodes]
        return self._observe(self._scenes)

    def step(self, request: Step) -> StepResults:
        """Executes a chunk in each of the slots; an episode that ends leaves the rest of its chunk undone."""
        scenes = [self._scenes[slot] for slot in request.slots]
        before = [scene.num_steps for scene in scenes]
        for scene, actions in zip(scenes, request.actions, strict=True):
            _execute(scene, actions)
        return StepResults(
            finished=np.array([scene.outcome is not Outcome.RUNNING for scene in scenes], dtype=np.bool_),
            success=np.array([scene.outcome is Outcome.SUCCESS for scene in scenes], dtype=np.bool_),
            num_steps=np.array([scene.num_steps for scene in scenes], dtype=np.int64)
            - np.array(before, dtype=np.int64),
            observations=self._observe([scene for scene in scenes if scene.outcome is Outcome.RUNNING]),
        )

    def demonstrate(self, request: Demonstrate) -> Demonstrations:
        """Executes the expert's plan with noise, so that states vary while the labels stay clean."""
        images: list[NDArray[np.uint8]] = []
        tips: list[NDArray[np.float64]] = []
        instructions: list[NDArray[np.int64]] = []
        labels: list[NDArray[np.float64]] = []
        for episode in request.episodes:
            scene = Scene(self._model, episode)
            rng = np.random.default_rng([episode.seed, 1])
            while scene.outcome is Outcome.RUNNING:
                plan = plan_chunk(
                    scene.task,
                    cubes_xy=scene.cubes_xy,
                    commanded=scene.commanded,
                    tool_offset_m=request.tool_offset_m,
                    num_steps=request.chunk_len,
                    step_m=ACTION_STEP_M,
                )
                images.append(self._render(scene, IMAGE_SIZE))
                tips.append(scene.commanded)
                instructions.append(tokenize(scene.task.instruction))
                labels.append(plan)
                noise = rng.normal(0.0, request.action_noise, plan.shape) + rng.normal(0.0, request.chunk_noise, 3)
                _execute(scene, plan + noise)
        return Demonstrations(
            images=np.stack(images),
            tips=np.stack(tips).astype(np.float32),
            instructions=np.stack(instructions),
            actions=np.stack(labels).astype(np.float32),
        )

    def film(self, request: Film) -> NDArray[np.uint8]:
        """Replays the actions; physics is deterministic, so what was a success is one again."""
        scene = Scene(self._model, request.episode)
        frames = [self._render(scene, FILM_SIZE)]
        for action in request.actions:
            scene.step(action)
            frames.append(self._render(scene, FILM_SIZE))
        return np.stack(frames)

    def _observe(self, scenes: list[Scene]) -> Observations:
        images = np.empty((len(scenes), IMAGE_SIZE, IMAGE_SIZE, 3), dtype=np.uint8)
        for index, scene in enumerate(scenes):
            images[index] = self._render(scene, IMAGE_SIZE)
        tips = np.array([scene.commanded for scene in scenes], dtype=np.float32).reshape(-1, 3)
        return Observations(images=images, tips=tips)

    def _render(self, scene: Scene, size: int) -> NDArray[np.uint8]:
        if size not in self._renderers:
            self._renderers[size] = mujoco.Renderer(self._model, size, size)
        renderer = self._renderers[size]
        renderer.update_scene(scene.data, camera="table")
        return renderer.render()

    def close(self) -> None:
        """Frees the renderers while their library is still loaded."""
        for renderer in self._renderers.values():
            renderer.close()


def _execute(scene: Scene, actions: NDArray[Any]) -> None:
    for action in actions:
        if scene.step(action) is not Outcome.RUNNING:
            return
