"""ray.init without an address starts a cluster of one node, and its workers know no patches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from . import target
from .patch import APPLIED, Outcome, Patch
from .runtime_env import with_patches


def _apply(module: ModuleType) -> Outcome:
    target.function(module, "init", ("address",))
    target.replace(module, "init", _joining)
    return APPLIED


def _joining(original: target.Function) -> target.Function:
    def init(address: str | None = None, *, runtime_env: Mapping[str, Any] | None = None, **keywords: Any) -> Any:
        if not address and not os.environ.get("RAY_ADDRESS"):
            raise ConnectionError(
                "the engine was about to start a Ray cluster of its own, and would wait for its GPUs for ever: "
                "set RAY_ADDRESS to the run's head, such as 10.0.0.5:6379"
            )
        return original(address, runtime_env=with_patches(runtime_env or {}, os.environ), **keywords)

    return init


PATCH = Patch(
    name="ray-start",
    engines=("verl", "rlinf"),
    modules=("ray",),
    driver_only=True,
    about="A driver that does not find the run's Ray starts one of its own and hangs; it must join, with the patches.",
    apply=_apply,
)
