"""Budget, policy, monitor, dashboard and extras from literals: a platform team needs none of our values."""

from __future__ import annotations

from typing import Any

import cdk8s
import pytest
from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import document, plain
from rlinf_constructs.platform.dashboard import DashboardIngress, DashboardIngressProps
from rlinf_constructs.platform.disruption import GangDisruptionBudget, GangDisruptionBudgetProps
from rlinf_constructs.platform.monitoring import PodMonitor, PodMonitorProps
from rlinf_constructs.platform.network_policy import NetworkPolicy, NetworkPolicyProps, dns, pods, tcp
from rlinf_constructs.platform.security import container_security_context
from rlinf_constructs.training.extras import Extras, init_containers
from tests_support import kubernetes_faults


@pytest.fixture
def objects() -> cdk8s.Chart:
    """A scope to build in."""
    return cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "team")


def rendered(objects: cdk8s.Chart) -> dict[str, Any]:
    """The only object, without any values; Kubernetes takes it."""
    [item] = [
        item for manifest in objects.to_json() for item in plain.render(document.parse(manifest), helm.Environment())
    ]
    assert kubernetes_faults(item) == []
    return item


def test_a_gang_keeps_all_its_pods(objects: cdk8s.Chart) -> None:
    """By their number."""
    GangDisruptionBudget(objects, "B", GangDisruptionBudgetProps(name="b", labels={}, selector={"app": "a"}, pods=4))
    assert rendered(objects)["spec"]["minAvailable"] == 4


@pytest.mark.parametrize(("restrict", "types"), [(False, ["Ingress"]), (True, ["Ingress", "Egress"])])
def test_egress_counts_only_where_it_is_restricted(restrict: bool, types: list[str], objects: cdk8s.Chart) -> None:
    """Otherwise a list of destinations would be no list of all."""
    ingress = k8s.NetworkPolicyIngressRule(from_=[pods({"app": "a"})], ports=[tcp(80)])
    props = NetworkPolicyProps(
        name="p", labels={}, selector={"app": "a"}, ingress=[ingress], egress=[dns()], restrict_egress=restrict
    )
    NetworkPolicy(objects, "P", props)
    spec = rendered(objects)["spec"]

    assert spec["policyTypes"] == types
    assert ("egress" in spec) is restrict


def test_a_monitor_names_its_port(objects: cdk8s.Chart) -> None:
    """And nothing that it was not given."""
    PodMonitor(objects, "M", PodMonitorProps(name="m", labels={}, selector={"app": "a"}, port="metrics", interval="5s"))
    assert rendered(objects)["spec"]["podMetricsEndpoints"] == [{"port": "metrics", "interval": "5s"}]


@pytest.mark.parametrize("secret", ["", "tls"])
def test_an_ingress_has_a_certificate_where_one_is_given(secret: str, objects: cdk8s.Chart) -> None:
    """An empty name is none."""
    props = DashboardIngressProps(
        name="i", labels={}, annotations={}, service="s", host="ray.team.internal", tls_secret=secret
    )
    DashboardIngress(objects, "I", props)
    assert ("tls" in rendered(objects)["spec"]) is bool(secret)


def test_typed_sidecars_are_always_restarted(objects: cdk8s.Chart) -> None:
    """After the init containers, which run to their end."""
    extras = Extras(
        init_containers=[k8s.Container(name="fetch", image="a")], sidecars=[k8s.Container(name="logs", image="b")]
    )
    context = container_security_context(read_only_root_filesystem=True)
    spec = k8s.PodSpec(
        containers=[k8s.Container(name="main", image="c")],
        init_containers=init_containers(extras, security_context=context),
    )
    k8s.KubePod(objects, "Pod", metadata=k8s.ObjectMeta(name="pod"), spec=spec)

    fetch, logs = rendered(objects)["spec"]["initContainers"]
    assert ("restartPolicy" in fetch, logs["restartPolicy"]) == (False, "Always")
