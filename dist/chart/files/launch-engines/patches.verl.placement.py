"""A placement group that fits nowhere is waited for in silence, for ever."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ... import log
from .. import target
from ..patch import APPLIED, Outcome, Patch

logger = log.of_step("patches")

# Every node is there when the engine starts; only workers of an earlier attempt may still be on their way out.
_DEADLINE_S = 120.0
_PROGRESS_S = 10.0
_POLL_S = 0.1


def _apply(module: ModuleType) -> Outcome:
    pool = target.member(module, "RayResourcePool")
    target.function(pool, "get_placement_groups", ("self",), uses=("placement_group", "ready"))
    ray = target.member(module, "ray")
    target.replace(module, "placement_group", lambda original: _placing(original, ray))
    return APPLIED


def _placing(original: target.Function, ray: Any) -> target.Function:
    def placement_group(bundles: Sequence[dict[str, float]], *arguments: Any, **keywords: Any) -> Any:
        group = original(bundles, *arguments, **keywords)
        _wait_for(group, bundles, ray)
        return group

    return placement_group


def _wait_for(group: Any, bundles: Sequence[dict[str, float]], ray: Any) -> None:
    began_s = said_s = time.monotonic()
    # Ray 2.9's group.wait() goes on saying no after the group has been created.
    while ray.util.placement_group_table(group)["state"] != "CREATED":
        now_s = time.monotonic()
        if now_s >= began_s + _DEADLINE_S:
            raise RuntimeError(f"no place for {_wish(bundles)} after {_DEADLINE_S:.0f} s: {_offer(ray)}")
        if now_s >= said_s + _PROGRESS_S:
            logger.info("waiting for %s: %s", _wish(bundles), _offer(ray))
            said_s = now_s
        time.sleep(_POLL_S)


def _wish(bundles: Sequence[dict[str, float]]) -> str:
    total = {name: sum(bundle.get(name, 0) for bundle in bundles) for name in ("CPU", "GPU")}
    return f"{len(bundles)} workers on one node ({total['CPU']:g} CPU, {total['GPU']:g} GPU)"


def _offer(ray: Any) -> str:
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    sizes = ", ".join(f"{node.get('CPU', 0):g} CPU and {node.get('GPU', 0):g} GPU" for node in nodes)
    free = ray.available_resources()
    return (
        f"the nodes have {sizes}, of which {free.get('CPU', 0):g} CPU and {free.get('GPU', 0):g} GPU are free in all. "
        "The driver's task takes one CPU of a node, so each needs one more than it has GPUs"
    )


PATCH = Patch(
    name="placement",
    engines=("verl",),
    modules=("verl.single_controller.ray.base",),
    about="Workers that no node has CPUs or GPUs for are waited for without end; after two minutes that is the error.",
    apply=_apply,
)
