"""Starts that ended without a complete checkpoint: a crash loop leaves one each time, and only the newest help."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

from .. import log
from . import weights
from .attempts import AttemptFolder

logger = log.of_step("stage")

# For their logs.
_KEPT = 5
# What is staged before an engine starts; the model's weights are links.
_STAGED = {"model", ".model", "modules"}
# torch.distributed.checkpoint writes the one when every rank has written; peft saves the others in place of a model.
_SIGNS = {".metadata", "adapter_model.safetensors", "adapter_model.bin"}


def remove(attempts: list[AttemptFolder]) -> None:
    """Removes all but the newest few of them; whoever begins a start is the run folder's sole writer meanwhile.

    Args:
        attempts: all starts so far, oldest first, none of which runs.
    """
    vain = [attempt for attempt in attempts if not _has_checkpoint(attempt)]
    for attempt in vain[:-_KEPT]:
        shutil.rmtree(attempt.path, ignore_errors=True)
    if vain[:-_KEPT]:
        numbers = ", ".join(str(attempt.number) for attempt in vain[:-_KEPT])
        logger.info("removed the starts %s, which left no complete checkpoint; the newest %d such stay", numbers, _KEPT)


def _has_checkpoint(attempt: AttemptFolder) -> bool:
    """Whether there is one of any engine, whatever somebody has called its folder; what cannot be read may be one."""
    try:
        for folder, subfolders, files in os.walk(attempt.path, onerror=_raise):
            if folder == str(attempt.path):
                subfolders[:] = [name for name in subfolders if name not in _STAGED]
            if _SIGNS.intersection(files) or ("config.json" in files and _may_be_whole(folder)):
                return True
    except OSError:
        return True
    return False


def _may_be_whole(folder: str) -> bool:
    try:
        weights.check(Path(folder))
    except weights.IncompleteError as error:
        cause = error.__cause__
        return isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)
    return True


def _raise(error: OSError) -> NoReturn:
    raise error
