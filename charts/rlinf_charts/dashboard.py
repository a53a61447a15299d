"""The way to Ray's dashboard, and rules that keep it from being open to everybody."""

from __future__ import annotations

from typing import Any

import cdk8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each_entry
from rlinf_constructs.platform.dashboard import (
    DashboardIngress,
    DashboardIngressProps,
    DashboardService,
    DashboardServiceProps,
)
from rlinf_constructs.training.indexed_job import COMPLETION_INDEX_LABEL
from rlinf_constructs.training.stateful_set import POD_INDEX_LABEL

_ingress = values.dashboard.ingress


def add_dashboard(objects: cdk8s.Chart) -> None:
    """A Service in every mode with a head, and an Ingress where it is asked for."""
    labels = helm.splice(names.LABELS)
    service = DashboardService(
        objects,
        "Dashboard",
        DashboardServiceProps(
            name=names.DASHBOARD_SERVICE, labels=labels, selector=_head(), port=values.ray.dashboard_port
        ),
    )
    helm.when(~names.ON_EXISTING_CLUSTER, service)
    ingress = DashboardIngress(
        objects,
        "DashboardIngress",
        DashboardIngressProps(
            name=names.DASHBOARD_SERVICE,
            labels=labels,
            annotations=helm.splice(_ingress.annotations),
            service=names.DASHBOARD_SERVICE,
            class_name=_ingress.class_name,
            host=_ingress.host,
            tls_secret=_ingress.tls_secret,
        ),
    )
    helm.when(_ingress.enabled, ingress)


def _head() -> dict[str, Any]:
    """Labels of the head's pod, by what makes it."""
    return {
        POD_INDEX_LABEL: helm.when(values.mode.equals("statefulset"), "0"),
        COMPLETION_INDEX_LABEL: helm.when(values.mode.equals("job"), "0"),
        "ray.io/node-type": helm.when(names.IS_KUBERAY, "head"),
        **helm.splice(names.SELECTOR_LABELS),
    }


AN_INGRESS_NEEDS_A_TOKEN = Rule(
    broken=_ingress.enabled & ~values.ray.auth.enabled,
    message=fmt(
        "dashboard.ingress.enabled is true while ray.auth.enabled is false: everybody who reaches the host could run "
        "code on the nodes; set ray.auth.enabled=true, or dashboard.ingress.enabled=false and use kubectl port-forward"
    ),
)

AN_INGRESS_NEEDS_A_HOST = Rule(
    broken=_ingress.enabled & ~_ingress.host,
    message=fmt(
        "dashboard.ingress.host is empty: without one the dashboard would answer for every host of the controller; set "
        "it, for example to ray.team.internal"
    ),
)

THE_CONTROLLER_MUST_GET_IN = Rule(
    broken=_ingress.enabled & values.network_policy.enabled & ~values.network_policy.dashboard_from,
    message=fmt(
        "dashboard.ingress.enabled is true while networkPolicy.dashboardFrom is empty, so the policy keeps the "
        "controller out: name it, as in [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "
        "ingress-nginx}}}], or as an ipBlock for a load balancer on AWS"
    ),
)


def _annotation_is_new(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_annotations, key),
        message=fmt(
            "dashboard.ingress.annotations has ",
            key,
            ", which commonAnnotations sets for all objects: keep one of them",
        ),
    )


RULES = [
    AN_INGRESS_NEEDS_A_TOKEN,
    AN_INGRESS_NEEDS_A_HOST,
    THE_CONTROLLER_MUST_GET_IN,
    for_each_entry(_ingress.annotations, _annotation_is_new, key="key", value="value"),
]
