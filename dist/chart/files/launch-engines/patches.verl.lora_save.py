"""Saving a LoRA checkpoint uses a class that the module never imports."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed

_CLASS = "AutoModelForVision2Seq"


def _apply(module: ModuleType) -> Outcome:
    worker = target.member(module, "RobActorRolloutRefWorker")
    target.function(worker, "save_checkpoint", ("self", "local_path"), uses=(_CLASS,))
    if hasattr(module, _CLASS):
        return not_needed(f"the module imports {_CLASS}")
    setattr(module, _CLASS, getattr(import_module("transformers"), _CLASS))
    return APPLIED


PATCH = Patch(
    name="lora-save",
    engines=("verl",),
    modules=("verl.workers.fsdp_workers",),
    about=f"The first LoRA checkpoint ends the run with NameError: {_CLASS}; the name is put into the module.",
    apply=_apply,
)
