"""All rules of the chart, in the order in which their sentences are said."""

from __future__ import annotations

from rlinf_charts import dashboard, extras, monitoring, network, scheduling, secrets
from rlinf_charts.rules import (
    batches,
    containers,
    derived,
    hardware,
    kuberay,
    mounts,
    names,
    native,
    ports,
    ray_start,
    resume,
    rlinf,
    storage,
    tolerations,
    tracking,
    unused,
    variables,
    verl,
)

RULES = [
    *names.RULES,
    *hardware.RULES,
    *storage.RULES,
    *unused.RULES,
    *mounts.RULES,
    *ports.RULES,
    *containers.RULES,
    *scheduling.RULES,
    *tolerations.RULES,
    *extras.RULES,
    *dashboard.RULES,
    *monitoring.RULES,
    *network.RULES,
    *secrets.RULES,
    *variables.RULES,
    *ray_start.RULES,
    *kuberay.RULES,
    *resume.RULES,
    *tracking.RULES,
    *derived.RULES,
    *batches.NATIVE,
    *native.RULES,
    *verl.RULES,
    *rlinf.RULES,
]
