"""Who may reach the pods, and what they may reach."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import objects_of, one, pods_of, refusal_of
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

MODES = ["statefulset", "job", "raycluster", "rayjob"]
RELEASE = {"app.kubernetes.io/name": "rlinf", "app.kubernetes.io/instance": "rel"}
OURS = {"podSelector": {"matchLabels": RELEASE}}
DASHBOARD = [{"port": 8265, "protocol": "TCP"}]
OPERATOR = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "kuberay-operator"}}}


def policy_of(chart: HelmChart, **values: Any) -> dict[str, Any]:
    """The policy's spec, which Kubernetes takes."""
    policy = one(objects_of(chart, values), "NetworkPolicy")
    assert kubernetes_faults(policy) == []
    return policy["spec"]


def egress_of(chart: HelmChart, **values: Any) -> list[dict[str, Any]]:
    """What pods may reach where that is restricted, but for each other, DNS and the agent of Pod Identity."""
    egress = {"restricted": True, **values.pop("egress", {})}
    return policy_of(chart, networkPolicy={"egress": egress}, **values)["egress"][3:]


@pytest.mark.parametrize("mode", MODES)
def test_it_holds_for_every_pod_of_the_release(mode: str, chart: HelmChart) -> None:
    """The helpers too, which must reach the nodes."""
    objects = objects_of(chart, {"mode": mode, "nodes": {"count": 2}})
    selector = one(objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"]

    for name, pod in pods_of(objects):
        assert selector.items() <= pod["metadata"]["labels"].items(), name


@pytest.mark.parametrize("mode", ["statefulset", "job"])
def test_by_default_the_pods_reach_each_other_and_nobody_else_reaches_them(mode: str, chart: HelmChart) -> None:
    """The dashboard is closed; what pods reach is open."""
    assert policy_of(chart, mode=mode) == {
        "podSelector": {"matchLabels": RELEASE},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [OURS]}],
    }


@pytest.mark.parametrize("namespace", [{}, {"kubernetes.io/metadata.name": "kuberay"}], ids=["any", "one"])
def test_the_operator_reaches_the_dashboard(namespace: dict[str, str], chart: HelmChart) -> None:
    """It submits jobs there and asks for their state; without it a RayJob would wait for ever."""
    policy = policy_of(chart, mode="rayjob", networkPolicy={"operatorNamespace": namespace})
    operator = {**OPERATOR, "namespaceSelector": {"matchLabels": namespace}}

    assert policy["ingress"] == [{"from": [OURS]}, {"from": [operator], "ports": DASHBOARD}]


def test_jobs_of_other_releases_reach_a_ray_cluster(chart: HelmChart) -> None:
    """Their submitters carry the chart's name, and another release's."""
    jobs = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "rlinf"}}}

    assert {"from": [jobs], "ports": DASHBOARD} in policy_of(chart, mode="raycluster")["ingress"]
    assert {"from": [jobs], "ports": DASHBOARD} not in policy_of(chart, mode="rayjob")["ingress"]


def test_the_dashboard_can_be_opened(chart: HelmChart) -> None:
    """To whom a value names, on its own port only."""
    peer = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress-nginx"}}}
    policy = policy_of(chart, networkPolicy={"dashboardFrom": [peer]}, ray={"dashboardPort": 9000})

    assert policy["ingress"][1] == {"from": [peer], "ports": [{"port": 9000, "protocol": "TCP"}]}


def test_other_ports_can_be_opened(chart: HelmChart) -> None:
    """Such as a sidecar's."""
    rule = {"from": [{"podSelector": {"matchLabels": {"app": "scraper"}}}], "ports": [{"port": 9000}]}
    assert policy_of(chart, networkPolicy={"ingress": [rule]})["ingress"][1] == rule


def test_restricted_pods_reach_what_every_run_needs(chart: HelmChart) -> None:
    """Each other, name servers and the agent that gives credentials."""
    policy = policy_of(chart, networkPolicy={"egress": {"restricted": True, "https": False}})

    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert policy["egress"] == [
        {"to": [OURS]},
        {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]},
        {
            "to": [{"ipBlock": {"cidr": "169.254.170.23/32"}}, {"ipBlock": {"cidr": "fd00:ec2::23/128"}}],
            "ports": [{"port": 80, "protocol": "TCP"}],
        },
    ]


@pytest.mark.parametrize(
    ("address", "port"),
    [
        ("http://mlflow.mlflow.svc:5000", 5000),
        ("http://mlflow.mlflow.svc", 80),
        ("https://mlflow.team/a:5000", 443),
        ("https://mlflow.team:8443/path", 8443),
    ],
)
def test_the_port_of_mlflow_is_open_when_it_is_used(address: str, port: int, chart: HelmChart) -> None:
    """From the address itself."""
    rules = egress_of(chart, egress={"https": False}, tracking={"mlflow": {"trackingUri": address}})
    assert rules == [{"ports": [{"port": port, "protocol": "TCP"}]}]


def test_further_destinations_are_named(chart: HelmChart) -> None:
    """HTTPS by default, and what the user lists."""
    mine = {"to": [{"ipBlock": {"cidr": "10.0.0.0/16"}}], "ports": [{"port": 5432}]}
    assert egress_of(chart, egress={"to": [mine]}) == [{"ports": [{"port": 443, "protocol": "TCP"}]}, mine]


def test_a_job_on_another_releases_cluster_reaches_it(chart: HelmChart) -> None:
    """Its submitter and its test ask that head."""
    policy = policy_of(
        chart,
        mode="rayjob",
        rayJob={"clusterSelector": "other"},
        storage={"runs": {"existingClaim": "runs"}},
        ray={"auth": {"existingSecret": "token"}},
        networkPolicy={"egress": {"restricted": True}},
    )
    assert {"to": [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "rlinf"}}}]} in policy["egress"]


def test_it_can_be_left_out(chart: HelmChart) -> None:
    """For teams with policies of their own."""
    kinds = {item["kind"] for item in objects_of(chart, {"networkPolicy": {"enabled": False}})}
    assert "NetworkPolicy" not in kinds


def test_a_restriction_without_the_policy_is_refused(chart: HelmChart) -> None:
    """It would look like a fence and be none."""
    assert refusal_of(chart, {"networkPolicy": {"enabled": False, "egress": {"restricted": True}}}) == [
        (
            "networkPolicy.egress.restricted is true while networkPolicy.enabled is false: without the policy the pods "
            "reach every host; set networkPolicy.enabled=true, or networkPolicy.egress.restricted=false"
        )
    ]
