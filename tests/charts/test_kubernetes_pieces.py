"""What users write as Kubernetes does: the schema refuses what the API server would, and takes all that it takes."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any

import pytest

from rendered_objects import objects_of, refusal_of
from rlinf_charts.validation.kubernetes import known_versions
from rlinf_charts.values.kubernetes import CONTAINER_FIELDS, MOUNT_FIELDS, PORT_FIELDS, VOLUME_SOURCES
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

LABELS = {"matchLabels": {"app": "scraper"}}
NODE_TERM = {
    "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}, {"key": "gpu", "operator": "Exists"}]
}
POD_TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": LABELS}
REQUIRED, PREFERRED = (f"{when}DuringSchedulingIgnoredDuringExecution" for when in ("required", "preferred"))
WHOLE: dict[str, Any] = {
    "scheduling": {
        "tolerations": [
            {"operator": "Exists"},
            {"key": "team.io/gpu", "value": "h100", "effect": "NoExecute", "tolerationSeconds": 60},
        ],
        "affinity": {
            "nodeAffinity": {
                REQUIRED: {"nodeSelectorTerms": [NODE_TERM]},
                PREFERRED: [{"weight": 100, "preference": NODE_TERM}],
            },
            "podAffinity": {REQUIRED: [{**POD_TERM, "namespaces": ["team"], "matchLabelKeys": ["app"]}]},
            "podAntiAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": POD_TERM}]},
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "minDomains": 2,
                "labelSelector": LABELS,
            }
        ],
    },
    "networkPolicy": {
        "dashboardFrom": [{"namespaceSelector": {}}, {"podSelector": LABELS, "namespaceSelector": LABELS}],
        "ingress": [
            {
                "from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}, {"ipBlock": {"cidr": "::/0"}}],
                "ports": [{"port": 9000, "endPort": 9010}, {"port": "metrics", "protocol": "UDP"}],
            }
        ],
    },
    "extraEnv": {
        "S3_KEY": {"valueFrom": {"secretKeyRef": {"name": "s3", "key": "access_key", "optional": True}}},
        "MODE": {"valueFrom": {"configMapKeyRef": {"name": "flags", "key": "mode"}}},
        "NODE": {"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        "SUM": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['checksum/run']"}}},
        "CORES": {"valueFrom": {"resourceFieldRef": {"resource": "requests.cpu", "divisor": "1m"}}},
    },
    "extraEnvFrom": [{"prefix": "S3_", "secretRef": {"name": "s3", "optional": True}}],
    "sidecars": [
        {
            "name": "logs",
            "image": "registry.team.internal:5000/tools/log_shipper:v1.2@sha256:" + "0" * 64,
            "ports": [{"containerPort": 9000, "name": "http"}, {"containerPort": 9000, "protocol": "UDP"}],
            "volumeMounts": [{"name": "tmp", "mountPath": "/logs", "subPath": ".cache/a@b=c"}],
            "env": [
                {"name": "LEVEL", "value": "2"},
                {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
            ],
            "imagePullPolicy": "Always",
        }
    ],
    "extraVolumes": [
        {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1.5Gi"}},
        {"name": "disk", "emptyDir": {}},
        {"name": "ca", "configMap": {"name": "corporate-ca", "items": [{"key": "ca.pem", "path": "ca.pem"}]}},
        {"name": "keys", "secret": {"secretName": "keys", "defaultMode": 256}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "data", "readOnly": True}},
        {"name": "driver", "hostPath": {"path": "/opt/driver", "type": "Directory"}},
    ],
}
# Fields of a container about which the chart says more.
OF_THE_CHART = {"name", "image", "ports", "volumeMounts"}
TOLERATION, SPREAD = "/scheduling/tolerations/0", "/scheduling/topologySpreadConstraints/0"
PEER = "/networkPolicy/dashboardFrom/0"
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"tolerations": [{"key": "a", "operator": "Exist"}]}, f"{TOLERATION}/operator"),
    ({"tolerations": [{"key": "a", "effect": "noSchedule"}]}, f"{TOLERATION}/effect"),
    ({"tolerations": [{"key": "a b"}]}, f"{TOLERATION}/key"),
    ({"tolerations": [{"kee": "a"}]}, TOLERATION),
    ({"affinity": {"nodeAfinity": {}}}, "/scheduling/affinity"),
    ({"affinity": {"podAffinity": {REQUIRED: [{}]}}}, f"/scheduling/affinity/podAffinity/{REQUIRED}/0"),
    (
        {"affinity": {"nodeAffinity": {PREFERRED: [{"weight": 0, "preference": NODE_TERM}]}}},
        f"/scheduling/affinity/nodeAffinity/{PREFERRED}/0/weight",
    ),
    ({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "labelSelector": {}}]}, SPREAD),
    # Without labels such terms select no pod, and do nothing.
    (
        {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]},
        SPREAD,
    ),
    *(
        ({"affinity": {kind: {REQUIRED: [{"topologyKey": "zone"}]}}}, f"/scheduling/affinity/{kind}/{REQUIRED}/0")
        for kind in ("podAffinity", "podAntiAffinity")
    ),
    *(
        (
            {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}}},
            f"/scheduling/affinity/nodeAffinity/{REQUIRED}/nodeSelectorTerms/0/matchExpressions/0{place}",
        )
        for requirement, place in [
            ({"key": "gpu", "operator": "In"}, ""),
            ({"key": "gpu", "operator": "NotIn", "values": []}, "/values"),
            ({"key": "gpu", "operator": "Exists", "values": ["h100"]}, "/values"),
            ({"key": "gpu", "values": ["h100"]}, ""),
        ]
    ),
    ({"nodeSelector": {"a" * 64: "b"}}, "/scheduling/nodeSelector"),
    ({"nodeSelector": {"a": "b" * 64}}, "/scheduling/nodeSelector/a"),
    ({"nodeSelector": {"a..b/c": "d"}}, "/scheduling/nodeSelector"),
]
BROKEN_ELSEWHERE: list[tuple[dict[str, Any], str]] = [
    ({"networkPolicy": {"dashboardFrom": [{"ipBlock": {"cidr": "10.0.0.0"}}]}}, f"{PEER}/ipBlock/cidr"),
    ({"networkPolicy": {"dashboardFrom": [{"ipBlock": {"cidr": "10.0.0.256/8"}}]}}, f"{PEER}/ipBlock/cidr"),
    ({"networkPolicy": {"dashboardFrom": [{"ipBlock": {"cidr": "fd00::/129"}}]}}, f"{PEER}/ipBlock/cidr"),
    ({"networkPolicy": {"dashboardFrom": [{"podSelector": {"labels": {}}}]}}, f"{PEER}/podSelector"),
    ({"networkPolicy": {"ingress": [{"ports": [{"port": 70000}]}]}}, "/networkPolicy/ingress/0/ports/0/port"),
    ({"extraEnv": {"A": {"value": "b"}}}, "/extraEnv/A"),
    ({"extraEnv": {"A": {"valueFrom": {}}}}, "/extraEnv/A/valueFrom"),
    ({"extraEnv": {"A": {"valueFrom": {"secretKeyRef": {"name": "a"}}}}}, "/extraEnv/A/valueFrom/secretKeyRef"),
    (
        {"extraEnv": {"A": {"valueFrom": {"fieldRef": {"fieldPath": "b"}, "secretKeyRef": {"name": "c", "key": "d"}}}}},
        "/extraEnv/A/valueFrom",
    ),
    (
        {"extraEnv": {"A": {"valueFrom": {"fieldRef": {"fieldPath": "metadata.release"}}}}},
        "/extraEnv/A/valueFrom/fieldRef/fieldPath",
    ),
    (
        {"networkPolicy": {"ingress": [{"ports": [{"port": "http", "endPort": 9}]}]}},
        "/networkPolicy/ingress/0/ports/0/port",
    ),
    ({"networkPolicy": {"ingress": [{"ports": [{"endPort": 9}]}]}}, "/networkPolicy/ingress/0/ports/0"),
    ({"extraEnvFrom": [{"secret": {"name": "a"}}]}, "/extraEnvFrom/0"),
    ({"sidecars": [{"name": "a", "image": "a/B"}]}, "/sidecars/0/image"),
    ({"sidecars": [{"name": "a", "image": "a", "ports": [{"containerPort": 0}]}]}, "/sidecars/0/ports/0/containerPort"),
    ({"sidecars": [{"name": "a", "image": "a", "ressources": {}}]}, "/sidecars/0"),
    ({"sidecars": [{"name": "a", "image": "a", "command": "sleep 1"}]}, "/sidecars/0/command"),
    ({"extraInitContainers": [{"name": "a", "image": "a", "env": {"A": "b"}}]}, "/extraInitContainers/0/env"),
    ({"extraVolumes": [{"name": "a", "pvc": {"claimName": "a"}}]}, "/extraVolumes/0"),
    ({"extraVolumes": [{"name": "a", "emptyDir": "1Gi"}]}, "/extraVolumes/0/emptyDir"),
    ({"extraVolumes": [{"name": "a", "emptyDir": {"medium": "memory"}}]}, "/extraVolumes/0/emptyDir/medium"),
    ({"extraVolumes": [{"name": "a", "emptyDir": {"sizeLimit": "10GB"}}]}, "/extraVolumes/0/emptyDir/sizeLimit"),
    *(
        ({"extraVolumes": [{"name": "a", source: {}}]}, f"/extraVolumes/0/{source}")
        for source in ("configMap", "secret", "persistentVolumeClaim", "hostPath")
    ),
    *(
        ({"sidecars": [{"name": "a", "image": "a", **fields}]}, f"/sidecars/0/{place}")
        for fields, place in [
            ({"env": [{"name": "A", "value": 1}]}, "env/0/value"),
            ({"env": [{"name": "A", "valu": "b"}]}, "env/0"),
            ({"envFrom": [{"secret": {"name": "a"}}]}, "envFrom/0"),
            ({"volumeMounts": [{"name": "tmp", "mountPath": "/a", "readonly": True}]}, "volumeMounts/0"),
            ({"ports": [{"containerPort": 9, "prtocol": "UDP"}]}, "ports/0"),
            ({"imagePullPolicy": "always"}, "imagePullPolicy"),
            ({"ports": [{"containerPort": 9, "name": "more-than-fifteen"}]}, "ports/0/name"),
        ]
    ),
    ({"image": {"repository": "a//b"}}, "/image/repository"),
    ({"image": {"repository": "a:v1"}}, "/image/repository"),
    ({"image": {"tag": ".v1"}}, "/image/tag"),
    ({"dashboard": {"ingress": {"host": "ray..internal"}}}, "/dashboard/ingress/host"),
    ({"dashboard": {"ingress": {"host": "https://ray.internal"}}}, "/dashboard/ingress/host"),
    ({"storage": {"s3": {"a": {"bucket": "a..b"}}}}, "/storage/s3/a/bucket"),
    ({"storage": {"s3": {"a": {"bucket": "abc", "region": "virginia"}}}}, "/storage/s3/a/region"),
    ({"storage": {"fsx": {"dnsName": "fs-.amazonaws.com"}}}, "/storage/fsx/dnsName"),
    ({"nodes": {"resources": {"requests": {"memory": "10 Gi"}}}}, "/nodes/resources/requests/memory"),
    ({"nodes": {"sharedMemory": "10gb"}}, "/nodes/sharedMemory"),
    ({"podMonitor": {"interval": "30"}}, "/podMonitor/interval"),
    ({"podAnnotations": {"a b": "c"}}, "/podAnnotations"),
    ({"tracking": {"mlflow": {"trackingUri": "mlflow:5000"}}}, "/tracking/mlflow/trackingUri"),
]
PATHS = ["relative", "/", "//code", "/code/", "/tmp/../etc", "/./code", "/code/..", "/with space", "/a:b"]
KEYS_OF_PATHS: list[tuple[str, Any]] = [
    ("/storage/runs/mountPath", lambda path: {"storage": {"runs": {"mountPath": path}}}),
    (
        "/storage/claims/a/mountPath",
        lambda path: {"storage": {"claims": {"a": {"claimName": "a", "mountPath": path}}}},
    ),
    ("/extraVolumeMounts/0/mountPath", lambda path: {"extraVolumeMounts": [{"name": "tmp", "mountPath": path}]}),
    ("/training/code", lambda path: {"training": {"code": path}}),
    ("/training/rlinf/configFolder", lambda path: {"training": {"rlinf": {"configFolder": path}}}),
    ("/training/resume", lambda path: {"training": {"resume": path}}),
    (
        "/sidecars/0/volumeMounts/0/mountPath",
        lambda path: {"sidecars": [{"name": "a", "image": "a", "volumeMounts": [{"name": "tmp", "mountPath": path}]}]},
    ),
]


def test_what_kubernetes_takes_is_taken(chart: HelmChart) -> None:
    """Every piece with most of its fields, as its documentation has them."""
    assert [fault for item in objects_of(chart, WHOLE) for fault in kubernetes_faults(item)] == []


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        ("volume", {*VOLUME_SOURCES, "name"}),
        ("container", {*CONTAINER_FIELDS, *OF_THE_CHART}),
        ("volumemount", {*MOUNT_FIELDS, "name", "mountPath", "subPath"}),
        ("containerport", {*PORT_FIELDS, "name", "containerPort", "protocol"}),
        ("envvar", {*CONTAINER_FIELDS["env"]["items"]["properties"]}),
        ("envfromsource", {*CONTAINER_FIELDS["envFrom"]["items"]["properties"]}),
    ],
)
def test_its_fields_are_those_of_the_newest_kubernetes(kind: str, ours: set[str]) -> None:
    """Of a volume, a container and what is in it, by the schema that the validator ships."""
    folder = importlib.resources.files("kubernetes_validate") / "kubernetes-json-schema"
    newest = folder / f"v{known_versions()[-1]}.0-local-strict" / f"{kind}-v1.json"
    assert json.loads(newest.read_text())["properties"].keys() == ours


@pytest.mark.parametrize(
    ("values", "place"), [*(({"scheduling": it}, place) for it, place in BROKEN), *BROKEN_ELSEWHERE], ids=str
)
def test_what_it_refuses_is_refused_with_its_place(values: dict[str, Any], place: str, chart: HelmChart) -> None:
    """Before anything reaches the cluster."""
    assert any(sentence.startswith(f"- at '{place}': ") for sentence in refusal_of(chart, values))


@pytest.mark.parametrize(("place", "values_with"), KEYS_OF_PATHS, ids=lambda it: it if isinstance(it, str) else "")
def test_all_paths_are_of_one_kind(place: str, values_with: Any, chart: HelmChart) -> None:
    """Absolute, and written in one way only, so that two of them can be told apart."""
    for path in PATHS:
        assert any(
            it.startswith(f"- at '{place}': '{path}' does not match") for it in refusal_of(chart, values_with(path))
        )
