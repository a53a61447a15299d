"""One start of the engine: where it writes, what it loads, and the step it goes on from."""

from dataclasses import dataclass

from .run_config import RunConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """What an engine's command needs to know of this start of it.

    Attributes:
        number: counts the starts of this run, from 1.
        folder: of this attempt; an engine that cannot resume writes its checkpoints here, so that none is overwritten.
        model_path: of the model to load; None: the one that the user's keys name.
        first_step: steps that earlier attempts have done and whose outcome `model_path` holds.
    """

    number: int
    folder: str
    model_path: str | None
    first_step: int


def preview(config: RunConfig) -> Attempt:
    """The first attempt as `--print` shows it, with nothing staged."""
    return Attempt(number=1, folder=f"{config.folder}/attempts/1", model_path=None, first_step=0)
