"""Rules on `rayStartParams`: options of `ray start` that the chart or KubeRay sets, or that would break the cluster."""

from __future__ import annotations

from collections.abc import Mapping

from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Helper, Kind, MapOf, Rule, call, fmt, for_each_entry

_BY_KUBERAY = "which KubeRay sets itself: remove it"


def _from(key: str) -> str:
    return f"which the chart sets from {key}: set {key} instead"


_OF_ALL = {
    "address": _BY_KUBERAY,
    "block": _BY_KUBERAY,
    "dashboard-agent-listen-port": "but the probes of the pods ask Ray at 52365, which is its default: remove it",
    "head": _BY_KUBERAY,
    "labels": "which KubeRay refuses: name a file with them in labels-file instead",
    "metrics-export-port": _from("ray.metricsPort"),
    "num-cpus": _from("ray.cpus"),
    "num-gpus": "which KubeRay sets from the GPUs of the pod: set nodes.gpus instead",
    "redis-username": "which KubeRay refuses: remove it",
}
OF_HEAD = {
    **_OF_ALL,
    "dashboard-port": _from("ray.dashboardPort"),
    "include-dashboard": "but the bootstrap asks the dashboard for nodes and jobs, and it is on by default: remove it",
    "port": _from("ray.port"),
}
OF_WORKERS = {
    **_OF_ALL,
    **dict.fromkeys(
        ("include-dashboard", "port", "redis-shard-ports"), "which `ray start` takes on the head only: remove it"
    ),
}


def _reasons(group: str, reasons: Mapping[str, str]) -> Helper:
    return Helper(
        name=f"rlinf.optionsNotOf{group.capitalize()}",
        body=MapOf({option: helm.Literal(why) for option, why in sorted(reasons.items())}),
        about=f"Options of `ray start` that kuberay.{group}.rayStartParams cannot have, and why.",
    )


HEAD, WORKERS = _reasons("head", OF_HEAD), _reasons("workers", OF_WORKERS)


def _refused(group: str, given: Expression, reasons: Helper) -> Rule:
    def rule(option: Expression, value: Expression) -> Rule:
        del value
        return Rule(
            broken=call("hasKey", reasons, option),
            message=fmt(
                f"kuberay.{group}.rayStartParams has ", option, ", ", call("dig", option, "", reasons, kind=Kind.STRING)
            ),
        )

    return for_each_entry(given, rule, key="option", value="value")


RULES = [
    _refused("head", values.kuberay.head.ray_start_params, HEAD),
    _refused("workers", values.kuberay.workers.ray_start_params, WORKERS),
]
HELPERS = [HEAD, WORKERS]
