"""The budget that keeps the pods of a run together."""

from __future__ import annotations

import cdk8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_charts.run import PODS
from rlinf_constructs import helm
from rlinf_constructs.platform.disruption import GangDisruptionBudget, GangDisruptionBudgetProps


def add_disruption_budget(objects: cdk8s.Chart) -> None:
    """All pods of the run, a separate head among them."""
    budget = GangDisruptionBudget(
        objects,
        "DisruptionBudget",
        GangDisruptionBudgetProps(
            name=names.FULLNAME,
            labels=helm.splice(names.LABELS),
            selector=helm.splice(names.SELECTOR_LABELS),
            pods=PODS,
        ),
    )
    helm.when(values.pod_disruption_budget.enabled & ~names.ON_EXISTING_CLUSTER, budget)
