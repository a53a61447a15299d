"""What users add to pods and objects: it is there in every mode, and never in the way of the chart's own."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import objects_of, one, pods_of, refusal_of
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

MODES: list[dict[str, Any]] = [
    {"mode": "statefulset"},
    {"mode": "job"},
    {"mode": "raycluster", "nodes": {"count": 2}},
    {"mode": "rayjob", "nodes": {"count": 2}, "kuberay": {"head": {"separate": True}}},
]
EXTRAS: dict[str, Any] = {
    "extraEnvFrom": [{"secretRef": {"name": "s3-keys"}}, {"prefix": "A_", "configMapRef": {"name": "flags"}}],
    "extraVolumes": [{"name": "code", "configMap": {"name": "code"}}],
    "extraVolumeMounts": [{"name": "code", "mountPath": "/code", "readOnly": True}],
    "extraInitContainers": [{"name": "fetch", "image": "fetch:1", "command": ["fetch"]}],
    "sidecars": [{"name": "logs", "image": "logs:1", "volumeMounts": [{"name": "tmp", "mountPath": "/logs"}]}],
}


def nodes_of(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The specs of the pods that run a node."""
    return [pod["spec"] for _, pod in pods_of(objects) if is_node(pod)]


def is_node(pod: dict[str, Any]) -> bool:
    """Whether the pod is no helper."""
    return pod["metadata"].get("labels", {}).get("app.kubernetes.io/component") == "training"


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode["mode"])
def test_every_node_has_them_in_every_mode(mode: dict[str, Any], chart: HelmChart) -> None:
    """The same values, wherever a pod template stands, and Kubernetes takes them."""
    objects = objects_of(chart, {**mode, **EXTRAS})
    nodes = nodes_of(objects)

    assert nodes
    for node in nodes:
        [trainer] = node["containers"]
        assert trainer["envFrom"] == EXTRAS["extraEnvFrom"]
        assert trainer["volumeMounts"][-1] == EXTRAS["extraVolumeMounts"][0]
        assert node["volumes"][-1] == EXTRAS["extraVolumes"][0]
        # KubeRay's nodes have a check of ours after them.
        assert [container["name"] for container in node["initContainers"]][:2] == ["fetch", "logs"]
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode["mode"])
def test_a_variable_may_come_from_a_key_of_a_secret(mode: dict[str, Any], chart: HelmChart) -> None:
    """Before those of text, which may name it, and instead of the chart's own; a credential shows nothing so."""
    key = {"secretKeyRef": {"name": "team", "key": "hub"}}
    values = {
        "secrets": {"huggingFace": {"name": "hugging-face"}},
        "extraEnv": {"ADDRESS": "https://$(HF_TOKEN)@hub", "HF_TOKEN": {"valueFrom": key}},
    }
    objects = objects_of(chart, {**mode, **values})
    for node in nodes_of(objects):
        variables = node["containers"][0]["env"]
        named = [variable for variable in variables if variable["name"] in values["extraEnv"]]
        assert named == [
            {"name": "HF_TOKEN", "valueFrom": key},
            {"name": "ADDRESS", "value": "https://$(HF_TOKEN)@hub"},
        ]
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


def test_helper_pods_have_the_trainers_volumes_but_no_further_containers(chart: HelmChart) -> None:
    """A test or a submitter needs the image's surroundings, and nothing beside it that runs on."""
    objects = objects_of(chart, {"mode": "rayjob", **EXTRAS})
    helpers = [pod["spec"] for _, pod in pods_of(objects) if not is_node(pod)]

    assert len(helpers) == 2
    for helper in helpers:
        assert "initContainers" not in helper
        assert helper["volumes"][-1] == EXTRAS["extraVolumes"][0]
        assert helper["containers"][0]["envFrom"] == EXTRAS["extraEnvFrom"]


def test_no_job_waits_for_a_sidecar(chart: HelmChart) -> None:
    """Among the init containers and always restarted, Kubernetes ends it after the trainer."""
    pod = one(objects_of(chart, {"mode": "job", **EXTRAS}), "Job")["spec"]["template"]["spec"]
    fetch, logs = pod["initContainers"]

    assert "restartPolicy" not in fetch
    assert logs["restartPolicy"] == "Always"


def test_containers_without_a_security_context_get_the_trainers(chart: HelmChart) -> None:
    """So that Pod Security `restricted` takes the pod; one that is given stays."""
    own = {"runAsUser": 7}
    containers = [*EXTRAS["sidecars"], {"name": "own", "image": "own:1", "securityContext": own}]
    [node] = nodes_of(objects_of(chart, {"sidecars": containers}))

    assert node["initContainers"][0]["securityContext"] == node["containers"][0]["securityContext"]
    assert node["initContainers"][1]["securityContext"] == own


def test_whole_objects_are_installed_as_they_are(chart: HelmChart) -> None:
    """In Helm's order, without labels or annotations of ours."""
    mine = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "flags", "labels": {"a": "b"}},
        "data": {"FLAG": "{{ no template }}"},
    }
    objects = objects_of(chart, {"extraObjects": [mine], "commonAnnotations": {"owner": "arm"}})

    assert [item for item in objects if item["metadata"]["name"] == "flags"] == [mine]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode["mode"])
def test_common_annotations_reach_every_object(mode: dict[str, Any], chart: HelmChart) -> None:
    """Beside those that Helm reads; pods have their own."""
    objects = objects_of(chart, {**mode, "commonAnnotations": {"owner": "arm"}, "podAnnotations": {"pod": "yes"}})

    assert all(item["metadata"]["annotations"]["owner"] == "arm" for item in objects)
    assert one(objects, "PersistentVolumeClaim")["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    for _, pod in pods_of(objects):
        if is_node(pod):
            assert pod["metadata"]["annotations"]["pod"] == "yes"
            assert "owner" not in pod["metadata"]["annotations"]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode["mode"])
def test_pod_labels_reach_the_nodes_only(mode: dict[str, Any], chart: HelmChart) -> None:
    """Common labels reach all; no selector has either."""
    objects = objects_of(chart, {**mode, "podLabels": {"tier": "gpu"}, "commonLabels": {"team": "arm"}})

    for _, pod in pods_of(objects):
        assert pod["metadata"]["labels"]["team"] == "arm"
        assert ("tier" in pod["metadata"]["labels"]) is is_node(pod)
    assert all("tier" not in item["metadata"]["labels"] for item in objects)
    assert all("team" not in item["spec"]["selector"] for item in objects if item["kind"] == "Service")


def test_a_running_job_keeps_its_name_when_nothing_of_its_pods_changes(chart: HelmChart) -> None:
    """Another name would be another Job, and the running one would be deleted."""

    def name(**values: Any) -> str:
        return one(objects_of(chart, {"mode": "job", **values}), "Job")["metadata"]["name"]

    assert name() == name(commonAnnotations={"a": "b"})
    assert name() != name(podLabels={"a": "b"})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"extraEnvFrom": [{"secretRef": {"name": "a"}}, {"prefix": "B_"}]},
            (
                "extraEnvFrom.1 has neither of secretRef and configMapRef, and must have one: write it as in "
                "{secretRef: {name: s3-keys}}"
            ),
        ),
        (
            {"extraVolumes": [{"name": "tmp", "emptyDir": {}}]},
            (
                "extraVolumes.0.name is tmp, and the chart keeps launch, tmp, shm, account-token, runs, fsx, scratch, "
                "s3-KEY and claims-KEY for volumes of its own, and KubeRay ray-logs: take another name, such as "
                "extra-tmp"
            ),
        ),
        (
            {"extraVolumeMounts": [{"name": "tmp", "mountPath": "/runs"}]},
            (
                "extraVolumeMounts.0.mountPath is /runs, where a volume of the chart is mounted: choose another path, "
                "such as /extra/runs"
            ),
        ),
        (
            {
                "storage": {"claims": {"nfs": {"claimName": "nfs", "mountPath": "/nfs"}}},
                "extraVolumeMounts": [{"name": "tmp", "mountPath": "/a"}, {"name": "shm", "mountPath": "/nfs"}],
            },
            (
                "extraVolumeMounts.1.mountPath is /nfs, where storage.claims.nfs is mounted: choose another path, such "
                "as /extra/nfs"
            ),
        ),
        (
            {"sidecars": [{"name": "trainer", "image": "a"}]},
            (
                "sidecars.0.name is trainer, and a pod has trainer, preflight, autoscaler, wait-gcs-ready, "
                "ray-job-submitter already: take another name, such as extra-trainer"
            ),
        ),
        (
            {"sidecars": [{"name": "logs", "image": "a"}, {"name": "logs", "image": "b"}]},
            (
                "sidecars.1.name is logs, and so is sidecars.0: each container of a pod has a name of its own; rename "
                "or remove one of them"
            ),
        ),
        (
            {"extraInitContainers": [{"name": "logs", "image": "a"}], "sidecars": [{"name": "logs", "image": "b"}]},
            (
                "sidecars.0.name is logs, and so is extraInitContainers.0: each container of a pod has a name of its "
                "own; rename or remove one of them"
            ),
        ),
        (
            {"sidecars": [{"name": "logs", "image": "a", "restartPolicy": "Never"}]},
            (
                "sidecars.0.restartPolicy is set, but a sidecar is always restarted: remove it, or put a container "
                "that ends into extraInitContainers"
            ),
        ),
        (
            {"podLabels": {"a": "b"}, "commonLabels": {"a": "c"}},
            "podLabels has a, which commonLabels sets for all objects and pods: keep one of them",
        ),
        (
            {"podLabels": {"ray.io/cluster": "other"}},
            "podLabels has ray.io/cluster, which the chart sets itself: remove it",
        ),
        (
            {"commonAnnotations": {"helm.sh/hook": "test"}},
            (
                "commonAnnotations has helm.sh/hook: by its annotations Helm tells hooks from other objects and what "
                "an uninstall keeps, so it cannot be the same for all; remove it (storage.runs.keep keeps the run "
                "folder's claim)"
            ),
        ),
        (
            {"serviceAccount": {"create": False, "annotations": {"team": "arm"}}},
            (
                "serviceAccount.annotations is set while serviceAccount.create is false: the chart does not touch an "
                "account that exists, so the pods would miss the role; annotate that account itself and remove the "
                "annotations here, or set serviceAccount.create=true"
            ),
        ),
        (
            {"commonAnnotations": {"a": "b"}, "serviceAccount": {"annotations": {"a": "c"}}},
            "serviceAccount.annotations has a, which commonAnnotations sets for all objects: keep one of them",
        ),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_collisions_with_the_charts_own_are_refused(values: dict[str, Any], sentence: str, chart: HelmChart) -> None:
    """Kubernetes would refuse them only later, and KubeRay's operator in its log."""
    assert refusal_of(chart, values) == [sentence]


@pytest.mark.parametrize(
    "values",
    [
        {"extraVolumeMounts": [{"name": "runs", "mountPath": "/models"}]},
        {"extraVolumeMounts": [{"name": "runs", "mountPath": "/elsewhere", "subPath": "a"}]},
        {"extraVolumeMounts": [{"name": "shm", "mountPath": "/tmp/data"}]},
    ],
    ids=["a folder that is not used", "the chart's volume elsewhere", "below the chart's"],
)
def test_what_kubernetes_allows_is_allowed(values: dict[str, Any], chart: HelmChart) -> None:
    """Rules refuse what collides, no more."""
    assert objects_of(chart, values)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"extraVolumes": [{"emptyDir": {}}]}, "- at '/extraVolumes/0': missing property 'name'"),
        ({"sidecars": [{"name": "logs"}]}, "- at '/sidecars/0': missing property 'image'"),
        (
            {"extraObjects": [{"apiVersion": "v1", "kind": "Pod"}]},
            "- at '/extraObjects/0': missing property 'metadata'",
        ),
        (
            {"extraVolumeMounts": [{"name": "a", "mountPath": "b"}]},
            "- at '/extraVolumeMounts/0/mountPath': 'b' does not",
        ),
    ],
    ids=["volume", "sidecar", "object", "mount"],
)
def test_the_schema_asks_for_the_names(values: dict[str, Any], place: str, chart: HelmChart) -> None:
    """Each item has what it is known by."""
    assert refusal_of(chart, values)[1].startswith(place)
