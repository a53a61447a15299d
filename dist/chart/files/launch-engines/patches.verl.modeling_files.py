"""#29: modeling files below the working folder are copied over those of the checkpoint."""

from __future__ import annotations

from types import ModuleType

from .. import target
from ..patch import APPLIED, Outcome, Patch

_NAME = "check_model_logic_mismatch"


def _leave(_original: target.Function) -> target.Function:
    def check_model_logic_mismatch(pretrained_checkpoint: str) -> None:
        # The bootstrap has put the files that belong together into the run's own model folder.
        del pretrained_checkpoint

    return check_model_logic_mismatch


def _apply(module: ModuleType) -> Outcome:
    target.function(module, _NAME, ("pretrained_checkpoint",), uses=("_handle_file_sync",))
    target.replace(module, _NAME, _leave)
    return APPLIED


PATCH = Patch(
    name="modeling-files",
    engines=("verl",),
    modules=("verl.utils.openvla_utils",),
    discovery="#29",
    about="Files found below ./prismatic are copied over the checkpoint's, through links; it is left alone.",
    apply=_apply,
)
