"""One video for each validation trial lands in ./rollouts, on the ephemeral disk of some pod."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from ... import log
from .. import target
from ..patch import APPLIED, Outcome, Patch

logger = log.of_step("patches")

FOLDER_VARIABLE = "RLINF_VIDEO_FOLDER"
_NAME = "save_rollout_video"
_PARAMETERS = ("rollout_images", "exp_name", "task_name", "step_idx", "success")
_FRAMES_PER_S = 30


def _apply(module: ModuleType) -> Outcome:
    target.function(module, _NAME, _PARAMETERS)
    imageio = target.member(module, "imageio")
    target.replace(module, _NAME, lambda _original: _saving(imageio))
    return APPLIED


def _saving(imageio: Any) -> target.Function:
    def save_rollout_video(
        rollout_images: Iterable[Any], exp_name: str, task_name: str, step_idx: int, success: bool
    ) -> str:
        folder = os.environ.get(FOLDER_VARIABLE)
        if not folder:
            return ""
        path = Path(folder, exp_name, f"step_{step_idx}", f"{task_name}_{'success' if success else 'failure'}.mp4")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with imageio.get_writer(path, fps=_FRAMES_PER_S) as writer:
                for image in rollout_images:
                    writer.append_data(image)
        except OSError as error:
            # A full disk costs a video, not the run.
            logger.warning("no video %s: %s", path, error)
        return str(path)

    return save_rollout_video


PATCH = Patch(
    name="validation-videos",
    engines=("verl",),
    modules=("verl.utils.libero_utils",),
    about=f"Validation fills a pod's ephemeral disk with videos; they go to ${FOLDER_VARIABLE}, or are not written.",
    apply=_apply,
)
