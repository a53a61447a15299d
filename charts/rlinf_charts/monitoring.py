"""The metrics of Ray and of the trainer, for Prometheus."""

from __future__ import annotations

import cdk8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each_entry
from rlinf_constructs.platform.monitoring import PodMonitor, PodMonitorProps
from rlinf_constructs.training.pod import METRICS_PORT

_monitor = values.pod_monitor


def add_pod_monitor(objects: cdk8s.Chart) -> None:
    """Of every node; a job on another release's cluster is refused one."""
    monitor = PodMonitor(
        objects,
        "PodMonitor",
        PodMonitorProps(
            name=names.FULLNAME,
            labels={**helm.splice(names.LABELS), **helm.splice(_monitor.labels)},
            selector=helm.splice(names.SELECTOR_LABELS),
            port=METRICS_PORT,
            interval=_monitor.interval,
            pod_labels=("app.kubernetes.io/instance",),
        ),
    )
    helm.when(_monitor.enabled, monitor)


def _label_is_new(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", names.LABELS, key),
        message=fmt(
            "podMonitor.labels has ", key, ", which all objects have already: remove it, or take another label"
        ),
    )


RULES = [for_each_entry(_monitor.labels, _label_is_new, key="key", value="value")]
