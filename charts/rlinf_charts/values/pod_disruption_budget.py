"""`podDisruptionBudget`: whether a node can be drained while it trains."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Section


class PodDisruptionBudget(Section):
    """Protection of the pods against eviction."""

    enabled: bool = Field(
        default=True,
        description="Refuse voluntary evictions (kubectl drain, autoscalers that consolidate nodes): without one of "
        "its nodes a run loses every step since the last checkpoint, on all of them. To drain a node, set this to "
        "false or end the run. A node that fails or is reclaimed is no eviction.",
    )
