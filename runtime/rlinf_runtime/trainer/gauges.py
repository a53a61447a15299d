"""The run's metrics among Ray's own, which the node of the controller shows to Prometheus."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ray.util.metrics import Gauge

if TYPE_CHECKING:
    from rlinf_runtime.trainer.metrics import Metrics


class Gauges:
    """One gauge a metric: `train/success_rate` is scraped as `ray_rlinf_train_success_rate`."""

    def __init__(self) -> None:
        self._gauges: dict[str, Gauge] = {}

    def publish(self, step: int, metrics: Metrics) -> None:
        """Shows the newest values; a metric that a step lacks keeps its former one."""
        for name, value in {"step": step, **metrics}.items():
            if name not in self._gauges:
                self._gauges[name] = Gauge(f"rlinf_{re.sub(r'[^A-Za-z0-9_]', '_', name)}", description=name)
            self._gauges[name].set(value)
