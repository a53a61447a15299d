"""Queues that hold a run back until there is room for all of it, such as Kueue."""

from __future__ import annotations

from typing import Any

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, Expression


def suspension(suspend: BooleanLike) -> dict[str, Any]:
    """The field `suspend` of a Job, RayJob or RayCluster, only when it is true.

    A queue sets the field, and clears it when the run's turn has come. An upgrade that wrote `false` would let a
    waiting run in past the queue.
    """
    if isinstance(suspend, Expression):
        return {"suspend": helm.when(suspend, helm.boolean(suspend))}
    return {"suspend": True} if suspend else {}
