"""The plain rendering prints objects in the order in which Helm installs them."""

from __future__ import annotations

from pathlib import Path

import cdk8s
from pydantic import BaseModel

from rlinf_constructs.helm import HelmChart
from tests_support import both_renderings

# Out of order, two that Helm does not know, and what it knows only as a list or by another group.
KINDS = [
    *("Zebra", "ValidatingWebhookConfiguration", "Ingress", "IngressClass", "Job", "CronJob", "Deployment", "Aardvark"),
    *("Pod", "Service", "RoleBinding", "Role", "RoleList", "ClusterRoleBinding", "ClusterRole", "PodMonitor"),
    *("PersistentVolumeClaim", "StorageClass", "ConfigMap", "SecretList", "Secret", "ServiceAccount", "StatefulSet"),
    *("PodDisruptionBudget", "LimitRange", "NetworkPolicy", "Namespace", "PriorityClass", "APIService", "DaemonSet"),
    *(
        "HorizontalPodAutoscaler",
        "MutatingWebhookConfiguration",
        "ReplicationController",
        "ReplicaSet",
        "EndpointSlice",
    ),
    *("CustomResourceDefinition", "ResourceQuota", "PersistentVolume", "PodSecurityPolicy", "RoleBindingList"),
    *("ClusterRoleList", "ClusterRoleBindingList", "Lease"),
]


class NoValues(BaseModel):
    """Nothing to set."""


def test_all_kinds_come_in_helms_order(tmp_path: Path) -> None:
    """Known ones by Helm's list, others after them by name, and hooks last."""
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "kinds")
    for kind in KINDS:
        for name, notes in (("object", {}), ("hook", {"helm.sh/hook": "test"})):
            metadata = cdk8s.ApiObjectMetadata(name=name, annotations=notes)
            cdk8s.ApiObject(objects, f"{kind}-{name}", api_version="v1", kind=kind, metadata=metadata)
    chart = HelmChart(
        metadata={"apiVersion": "v2", "name": "kinds", "version": "1.0.0", "appVersion": "1"},
        values=NoValues,
        header="No values.",
        objects=objects,
    )
    chart.write(tmp_path / "kinds")
    values = tmp_path / "values.yaml"
    values.write_text("{}\n")

    rendered = both_renderings(chart, tmp_path / "kinds")({}, values)

    assert rendered is not None
    assert len(rendered) == 2 * len(KINDS)
