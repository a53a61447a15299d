"""#29: rank 0 rewrites the checkpoint's config.json in place at each start, with one more backup beside it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import ModuleType

from .. import target
from ..patch import APPLIED, Outcome, Patch

_NAME = "update_auto_map"
_AUTO_MAP = {
    "AutoConfig": "configuration_prismatic.OpenVLAConfig",
    "AutoModelForVision2Seq": "modeling_prismatic.OpenVLAForActionPrediction",
}


def update_auto_map(pretrained_checkpoint: str) -> None:
    """Makes config.json name the checkpoint's own classes, if it does not, by rename.

    Raises:
        OSError: the file must change and cannot.
    """
    path = Path(pretrained_checkpoint, "config.json")
    if not path.is_file():
        return
    config = json.loads(path.read_text())
    if config.get("auto_map") == _AUTO_MAP:
        return
    draft = path.with_name(f"config.json.{os.getpid()}")
    try:
        draft.write_text(json.dumps({**config, "auto_map": _AUTO_MAP}, indent=2))
        # A link is replaced, not what it points to.
        draft.replace(path)
    except OSError as error:
        raise OSError(
            f"{path} must name the checkpoint's own classes in auto_map, and cannot be written ({error}): "
            "let the bootstrap stage the model, or write auto_map into it once"
        ) from error


def _apply(module: ModuleType) -> Outcome:
    target.function(module, _NAME, ("pretrained_checkpoint",), uses=("auto_map", *_AUTO_MAP.values()))
    target.replace(module, _NAME, lambda _original: update_auto_map)
    return APPLIED


PATCH = Patch(
    name="config-json",
    engines=("verl",),
    modules=("verl.utils.openvla_utils",),
    discovery="#29",
    about="Each start rewrites the checkpoint's config.json in place; it is changed only if it must, by rename.",
    apply=_apply,
)
