"""#30: TensorFlow is imported for a handful of image operations."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType, SimpleNamespace

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed
from ..stub import StubModule

_TENSORFLOW = "tensorflow"
_CURES = {
    "verl.utils.libero_utils": ("resize_image", ("img", "resize_size"), ("encode_jpeg", "lanczos3")),
    "verl.workers.rollout.rob_rollout": ("center_crop_image", ("image",), ("crop_and_resize",)),
}


def _tensorflow() -> ModuleType:
    # The rollout asks for GPUs, to stop TensorFlow from taking all of their memory.
    no_gpus = SimpleNamespace(list_physical_devices=lambda _kind: [])
    return StubModule(_TENSORFLOW, config=SimpleNamespace(experimental=no_gpus))


def _apply(module: ModuleType) -> Outcome:
    if not isinstance(target.member(module, "tf"), StubModule):
        return not_needed("TensorFlow is installed")
    if cure := _CURES.get(module.__name__):
        name, parameters, uses = cure
        target.function(module, name, parameters, uses=uses)
        # Needs numpy, which the module has just imported.
        images = import_module(".images", __package__)
        target.replace(module, name, lambda _original: getattr(images, name))
    return APPLIED


PATCH = Patch(
    name="tensorflow-images",
    engines=("verl",),
    modules=(*_CURES, "verl.utils.openvla_utils"),
    discovery="#30",
    about="The rollout needs TensorFlow for five image operations; where it is absent, equal ones on numpy take over.",
    apply=_apply,
    stubs={_TENSORFLOW: _tensorflow},
)
