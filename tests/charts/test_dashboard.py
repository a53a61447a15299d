"""How people reach Ray's dashboard, which runs code for those who may."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import named, objects_of, one, refusal_of
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

NGINX = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress-nginx"}}}]
OPEN: dict[str, Any] = {
    "dashboard": {"ingress": {"enabled": True, "host": "ray.team.internal"}},
    "networkPolicy": {"dashboardFrom": NGINX},
}
HEADS = {
    "statefulset": {"apps.kubernetes.io/pod-index": "0"},
    "job": {"batch.kubernetes.io/job-completion-index": "0"},
    "raycluster": {"ray.io/node-type": "head"},
    "rayjob": {"ray.io/node-type": "head"},
}


def service_of(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The dashboard's Service."""
    return named(objects, "Service", "rel-rlinf-dashboard")


@pytest.mark.parametrize("mode", HEADS)
def test_a_service_leads_to_the_head_in_every_mode(mode: str, chart: HelmChart) -> None:
    """By the label that the head's pod has from what makes it, to the port that the trainer names."""
    service = service_of(objects_of(chart, {"mode": mode, "ray": {"dashboardPort": 9000}}))

    assert kubernetes_faults(service) == []
    assert service["spec"]["selector"] == {
        **HEADS[mode],
        "app.kubernetes.io/name": "rlinf",
        "app.kubernetes.io/instance": "rel",
        "app.kubernetes.io/component": "training",
    }
    [port] = service["spec"]["ports"]
    assert (service["spec"]["type"], port["port"], port["targetPort"]) == ("ClusterIP", 9000, "dashboard")


def test_nobody_outside_reaches_it_by_default(chart: HelmChart) -> None:
    """No Ingress."""
    assert "Ingress" not in {item["kind"] for item in objects_of(chart)}


def test_an_ingress_leads_to_the_service(chart: HelmChart) -> None:
    """With class, certificate and annotations where they are given."""
    plain = one(objects_of(chart, OPEN), "Ingress")
    given = {"className": "nginx", "tlsSecret": "ray-tls", "annotations": {"a": "b"}}
    full = one(
        objects_of(chart, {**OPEN, "dashboard": {"ingress": {**OPEN["dashboard"]["ingress"], **given}}}), "Ingress"
    )

    assert kubernetes_faults(plain) == kubernetes_faults(full) == []
    assert plain["spec"].keys() == {"rules"}
    [rule] = plain["spec"]["rules"]
    assert rule["host"] == "ray.team.internal"
    assert rule["http"]["paths"][0]["backend"]["service"] == {
        "name": "rel-rlinf-dashboard",
        "port": {"name": "dashboard"},
    }
    assert full["spec"]["ingressClassName"] == "nginx"
    assert full["spec"]["tls"] == [{"hosts": ["ray.team.internal"], "secretName": "ray-tls"}]
    assert full["metadata"]["annotations"] == {"a": "b"}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"ray": {"auth": {"enabled": False}}},
            (
                "dashboard.ingress.enabled is true while ray.auth.enabled is false: everybody who reaches the host "
                "could run code on the nodes; set ray.auth.enabled=true, or dashboard.ingress.enabled=false and use "
                "kubectl port-forward"
            ),
        ),
        (
            {"dashboard": {"ingress": {"enabled": True}}},
            (
                "dashboard.ingress.host is empty: without one the dashboard would answer for every host of the "
                "controller; set it, for example to ray.team.internal"
            ),
        ),
        (
            {"networkPolicy": {}},
            (
                "dashboard.ingress.enabled is true while networkPolicy.dashboardFrom is empty, so the policy keeps the "
                "controller out: name it, as in [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "
                "ingress-nginx}}}], or as an ipBlock for a load balancer on AWS"
            ),
        ),
        (
            {
                "commonAnnotations": {"a": "b"},
                "dashboard": {"ingress": {**OPEN["dashboard"]["ingress"], "annotations": {"a": "c"}}},
            },
            "dashboard.ingress.annotations has a, which commonAnnotations sets for all objects: keep one of them",
        ),
    ],
    ids=["no token", "no host", "closed by the policy", "twice the same annotation"],
)
def test_an_ingress_that_is_open_to_all_or_to_none_is_refused(
    values: dict[str, Any], sentence: str, chart: HelmChart
) -> None:
    """With what to set instead."""
    assert refusal_of(chart, {**OPEN, **values}) == [sentence]
