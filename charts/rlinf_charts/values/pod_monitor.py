"""`podMonitor`: metrics for Prometheus."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Labels, Section


class PodMonitor(Section):
    """Metrics for Prometheus, by the operator that knows PodMonitors."""

    enabled: bool = Field(
        default=False,
        description="Make a PodMonitor for ray.metricsPort of every node: Ray's own metrics, and those of the engine "
        "native as ray_rlinf_step, ray_rlinf_val_success_rate, ray_rlinf_perf_env_steps_per_s and so on. Needs the "
        "CRDs of prometheus-operator. The network policy then lets everybody read that port.",
    )
    interval: str = Field(
        default="30s", description="Time between two scrapes.", pattern=r"^[1-9][0-9]{0,3}(ms|s|m|h)$"
    )
    labels: Labels = Field(
        default_factory=dict[str, str],
        description="Labels by which your Prometheus selects PodMonitors, such as {release: kube-prometheus-stack}.",
    )
