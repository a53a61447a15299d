"""The network policy of a release's pods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cdk8s
from cdk8s_plus_35 import k8s

from rlinf_charts import names
from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Argument, Expression, Function, Rule, ValuesRef, call, conditional, fmt, for_each
from rlinf_constructs.platform.network_policy import (
    NetworkPolicy,
    NetworkPolicyProps,
    dns,
    pod_identity_agent,
    pods,
    tcp,
)

_policy = values.network_policy
_mlflow_uri, _wandb_url = values.tracking.mlflow.tracking_uri, values.tracking.wandb.base_url

PORT_OF = Function(
    name="rlinf.portOf",
    body=call(
        "default",
        conditional(call("hasPrefix", "https:", Argument()), 443, 80),
        call("int64", call("trimPrefix", ":", call("regexFind", ":[0-9]+$", call("regexFind", "//[^/]*", Argument())))),
    ),
    about="The port of an http or https address.",
)

HELPERS = [PORT_OF]

RESTRICTED_BY_A_POLICY = Rule(
    broken=_policy.egress.restricted & ~_policy.enabled,
    message=fmt(
        "networkPolicy.egress.restricted is true while networkPolicy.enabled is false: without the policy the pods "
        "reach every host; set networkPolicy.enabled=true, or networkPolicy.egress.restricted=false"
    ),
)

WANDB_IS_REACHED = Rule(
    broken=_policy.enabled
    & _policy.egress.restricted
    & ~_policy.egress.https
    & ~_policy.egress.to
    & values.tracking.wandb.enabled
    & ~_wandb_url,
    message=fmt(
        "networkPolicy.egress.https is false while tracking.wandb.enabled is true with the public server: the pods "
        "cannot reach it; set networkPolicy.egress.https=true, or name it in networkPolicy.egress.to"
    ),
)


def _is_one_kind_of_peer(place: Expression, peer: Expression) -> Rule:
    """Kubernetes takes addresses, or labels, or labels of both pods and namespaces."""
    has_addresses = call("hasKey", peer, "ipBlock")
    has_labels = call("hasKey", peer, "podSelector") | call("hasKey", peer, "namespaceSelector")
    return Rule(
        broken=(has_addresses & has_labels) | (~has_addresses & ~has_labels),
        message=fmt(
            place,
            " has ",
            conditional(has_addresses, "both", "neither"),
            " of ipBlock and a selector, and must have one: write it as in {podSelector: {matchLabels: {app: mine}}} "
            "or {ipBlock: {cidr: 10.0.0.0/16}}",
        ),
    )


def _peers_below(key: str, places: ValuesRef, name: str, peers: Callable[[Any], ValuesRef]) -> Rule:
    return for_each(
        places,
        lambda index, place: for_each(
            peers(place),
            lambda position, peer: _is_one_kind_of_peer(fmt(f"{key}.", index, f".{name}.", position), peer),
            name="peer",
            index="position",
        ),
        name="place",
    )


RULES = [
    RESTRICTED_BY_A_POLICY,
    WANDB_IS_REACHED,
    for_each(
        _policy.dashboard_from,
        lambda index, peer: _is_one_kind_of_peer(fmt("networkPolicy.dashboardFrom.", index), peer),
        name="peer",
    ),
    _peers_below("networkPolicy.ingress", _policy.ingress, "from", lambda place: place.from_peers),
    _peers_below("networkPolicy.egress.to", _policy.egress.to, "to", lambda place: place.to),
]


def add_network_policy(objects: cdk8s.Chart) -> None:
    """One policy for all pods of the release, the helpers among them."""
    policy = NetworkPolicy(
        objects,
        "NetworkPolicy",
        NetworkPolicyProps(
            name=names.FULLNAME,
            labels=helm.splice(names.LABELS),
            selector=helm.splice(names.RELEASE_LABELS),
            ingress=_ingress(),
            egress=_egress(),
            restrict_egress=_policy.egress.restricted,
        ),
    )
    helm.when(_policy.enabled, policy)


def _ingress() -> list[k8s.NetworkPolicyIngressRule]:
    dashboard = [tcp(values.ray.dashboard_port)]
    whoever = k8s.NetworkPolicyPeer(ip_block=k8s.IpBlock(cidr=""))
    rule = k8s.NetworkPolicyIngressRule
    return [
        rule(from_=[pods(helm.splice(names.RELEASE_LABELS))]),
        helm.when(names.IS_KUBERAY, rule(from_=[_kuberay_operator()], ports=dashboard)),
        # Releases with rayJob.clusterSelector run their jobs here.
        helm.when(
            values.mode.equals("raycluster"),
            rule(from_=[pods({names.NAME_LABEL: helm.string(names.NAME)})], ports=dashboard),
        ),
        helm.when(_policy.dashboard_from, rule(from_=[helm.all_of(_policy.dashboard_from, whoever)], ports=dashboard)),
        helm.when(values.pod_monitor.enabled, rule(ports=[tcp(values.ray.metrics_port)])),
        helm.all_of(_policy.ingress, rule(from_=[whoever])),
    ]


def _kuberay_operator() -> k8s.NetworkPolicyPeer:
    return helm.extend(
        k8s.NetworkPolicyPeer(pod_selector=k8s.LabelSelector(match_labels={names.NAME_LABEL: "kuberay-operator"})),
        # Without labels it selects every namespace.
        namespaceSelector=call("dict", "matchLabels", _policy.operator_namespace),
    )


def _egress() -> list[k8s.NetworkPolicyEgressRule]:
    rule = k8s.NetworkPolicyEgressRule
    return [
        rule(to=[pods(helm.splice(names.RELEASE_LABELS))]),
        helm.when(names.ON_EXISTING_CLUSTER, rule(to=[pods({names.NAME_LABEL: helm.string(names.NAME)})])),
        dns(),
        pod_identity_agent(),
        helm.when(call("hasPrefix", "http", _mlflow_uri), _port_of(_mlflow_uri)),
        helm.when(values.tracking.wandb.enabled & _wandb_url, _port_of(_wandb_url)),
        helm.when(_policy.egress.https, rule(ports=[tcp(443)])),
        # The Kubernetes API, at an address that only the cluster knows.
        helm.when(names.HAS_AUTOSCALER, rule(ports=[tcp(443), tcp(6443)])),
        helm.all_of(_policy.egress.to, rule(ports=[tcp(0)])),
    ]


def _port_of(address: Expression) -> k8s.NetworkPolicyEgressRule:
    return k8s.NetworkPolicyEgressRule(ports=[tcp(PORT_OF(address))])
