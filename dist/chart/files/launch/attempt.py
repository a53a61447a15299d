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
        checkpoint: folder of the engine's own from which it resumes exactly; None: there is none, or it cannot.
        first_step: steps that earlier attempts have done and whose outcome `model_path` or `checkpoint` holds.
        first_epoch: epochs likewise.
        modules_cache: folder for the code that transformers imports with a model: of this start, and laid out before
            any rank starts, when its model is staged; else on each pod's own disk.
        pycache: folder on each pod's own disk for Python's compiled files.
    """

    number: int
    folder: str
    model_path: str | None
    checkpoint: str | None
    first_step: int
    first_epoch: int
    modules_cache: str
    pycache: str


def preview(config: RunConfig) -> Attempt:
    """The first attempt as `--print` shows it, with nothing staged."""
    return Attempt(
        number=1,
        folder=f"{config.folder}/attempts/1",
        model_path=None,
        checkpoint=None,
        first_step=0,
        first_epoch=0,
        modules_cache=f"/tmp/{config.name}/modules",  # noqa: S108 - the pod's own
        pycache=f"/tmp/{config.name}/pycache",  # noqa: S108 - the pod's own
    )
