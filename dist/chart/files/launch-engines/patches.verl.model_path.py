"""A slash at the end of the model's path is an AssertionError."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch

_NAME = "copy_local_path_from_hdfs"


def _without_slash(original: target.Function) -> target.Function:
    def copy_local_path_from_hdfs(src: str, *arguments: Any, **keywords: Any) -> str:
        return original(src.rstrip("/"), *arguments, **keywords)

    return copy_local_path_from_hdfs


def _apply(module: ModuleType) -> Outcome:
    target.function(module, _NAME, ("src",), uses=("/",))
    target.replace(module, _NAME, _without_slash)
    return APPLIED


PATCH = Patch(
    name="model-path",
    engines=("verl",),
    modules=("verl.utils.fs",),
    about="actor_rollout_ref.model.path must not end in a slash; slashes at its end are dropped.",
    apply=_apply,
)
