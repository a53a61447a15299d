"""A trainer.runtime_env that names no file is silently replaced by a built-in one."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch

_BUILT_IN = {"env_vars": {"TOKENIZERS_PARALLELISM": "true", "NCCL_DEBUG": "WARN"}}


def _apply(module: ModuleType) -> Outcome:
    target.function(module, "init", ("address",))
    target.replace(module, "init", _refusing)
    return APPLIED


def _refusing(original: target.Function) -> target.Function:
    def init(*arguments: Any, runtime_env: Mapping[str, Any] | None = None, **keywords: Any) -> Any:
        if runtime_env == _BUILT_IN:
            raise FileNotFoundError(
                "trainer.runtime_env names no file on this node, so that the engine fell back to its built-in runtime "
                "environment: name a JSON file, or leave the key to the bootstrap"
            )
        return original(*arguments, runtime_env=runtime_env, **keywords)

    return init


PATCH = Patch(
    name="runtime-env-file",
    engines=("verl",),
    modules=("ray",),
    driver_only=True,
    about="A wrong trainer.runtime_env is ignored, and with it every variable for the workers; it is refused.",
    apply=_apply,
)
