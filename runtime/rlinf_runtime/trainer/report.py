"""What people look at when a run is over: a learning curve and a film of successes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from pathlib import Path

    from rlinf_runtime.trainer.metrics import Metrics

_FRAME_MS = 120
_LAST_FRAME_MS = 900
_CAPTION_HEIGHT = 36


@dataclass(frozen=True, slots=True)
class Clip:
    """One filmed episode.

    Example: `Clip(instruction="touch the red block", frames=uint8 [12, 320, 320, 3])`.
    """

    instruction: str
    frames: NDArray[np.uint8]  # [frames, height, width, 3]


def draw_learning_curve(metrics: list[Metrics], path: Path, *, title: str) -> None:
    """Plots success over steps as a PNG, from the lines of `metrics.jsonl`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - half a second that only reports need
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for key, label, style in (
        ("train/success_rate", "training rollouts (sampled)", "-"),
        ("val/success_rate", "held-out episodes (greedy)", "o-"),
    ):
        points = [(line["step"], line[key]) for line in metrics if key in line]
        if points:
            axes.plot(*zip(*points, strict=True), style, label=label)
    axes.set(xlabel="GRPO step", ylabel="success rate", ylim=(0.0, 1.02), title=title)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    partial = path.with_name(path.name + ".partial")
    figure.savefig(partial, format="png")
    partial.replace(path)


def write_gif(clips: list[Clip], path: Path) -> None:
    """Writes the clips one after another as a GIF, each with its instruction as a caption."""
    images = [_captioned(frame, clip.instruction) for clip in clips for frame in clip.frames]
    durations = [
        _LAST_FRAME_MS if index == len(clip.frames) - 1 else _FRAME_MS
        for clip in clips
        for index in range(len(clip.frames))
    ]
    partial = path.with_name(path.name + ".partial")
    images[0].save(
        partial, format="GIF", save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=False
    )
    partial.replace(path)


def _captioned(frame: NDArray[np.uint8], caption: str) -> Image.Image:
    height, width, _ = frame.shape
    image = Image.new("RGB", (width, height + _CAPTION_HEIGHT), "white")
    image.paste(Image.fromarray(frame), (0, 0))
    font = ImageFont.load_default(size=18)
    ImageDraw.Draw(image).text((width / 2, height + _CAPTION_HEIGHT / 2), caption, fill="black", font=font, anchor="mm")
    return image
