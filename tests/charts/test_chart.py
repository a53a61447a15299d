"""What every rendering of the chart has, found by walking the objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rendered_objects import named, objects_of, pod_spec, pods_of, run_json, training_container
from rlinf_charts.chart import launch_files
from rlinf_constructs.helm import HelmChart, ValuesError, yaml_io
from tests_support import ROOT

VALUES_FILES = sorted((ROOT / "values").glob("*.yaml"))
RESTRICTED_VOLUMES = ("configMap", "csi", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret")


def test_the_defaults_give_exactly_these_objects(chart: HelmChart) -> None:
    """Kind and name of everything that a plain install creates."""
    assert {(item["kind"], item["metadata"]["name"]) for item in objects_of(chart)} == {
        ("ServiceAccount", "rel-rlinf"),
        ("Secret", "rel-rlinf-ray-token"),
        ("ConfigMap", "rel-rlinf-launch"),
        ("ConfigMap", "rel-rlinf-launch-engines"),
        ("PersistentVolumeClaim", "rel-rlinf-runs"),
        ("Service", "rel-rlinf-nodes"),
        ("Service", "rel-rlinf-dashboard"),
        ("StatefulSet", "rel-rlinf"),
        ("Pod", "rel-rlinf-test"),
        ("PodDisruptionBudget", "rel-rlinf"),
        ("NetworkPolicy", "rel-rlinf"),
    }


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
@pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.stem)
def test_every_pod_is_restricted(file: Path, mode: str, chart: HelmChart) -> None:
    """All that the Pod Security Standard `restricted` asks for, of the user's containers, too."""
    container = {"name": "mine", "image": "mine"}
    mine = {"sidecars": [container], "extraInitContainers": [{**container, "name": "first"}]}
    for name, pod in pods_of(objects_of(chart, {**yaml_io.load_file(file), **mine, "mode": mode})):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert spec["automountServiceAccountToken"] is False, name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys(), name
        assert {source for volume in spec["volumes"] for source in volume} <= {"name", *RESTRICTED_VOLUMES}, name
        for container in (*spec["containers"], *spec.get("initContainers", ())):
            assert container["securityContext"]["allowPrivilegeEscalation"] is False, name
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
            assert "privileged" not in container["securityContext"], name


def test_labels_reach_every_object_and_pod(chart: HelmChart) -> None:
    """The user's labels, and those that Helm's users expect."""
    objects = objects_of(chart, {"commonLabels": {"team": "arm"}})

    for item in objects:
        labels = item["metadata"]["labels"]
        assert labels["team"] == "arm"
        assert labels["app.kubernetes.io/instance"] == "rel"
    for _, pod in pods_of(objects):
        assert pod["metadata"]["labels"]["team"] == "arm"


def test_the_selector_matches_the_training_pods_only(chart: HelmChart) -> None:
    """Service and StatefulSet never take the test pod for one of theirs."""
    objects = objects_of(chart)
    selector = named(objects, "Service", "rel-rlinf-nodes")["spec"]["selector"]
    matching = {name for name, pod in pods_of(objects) if selector.items() <= pod["metadata"]["labels"].items()}
    assert matching == {"rel-rlinf"}


def test_pods_roll_when_the_run_changes_and_only_then(chart: HelmChart) -> None:
    """The checksum follows run.json, not what has nothing to do with the run."""

    def checksum(values: dict[str, Any]) -> str:
        [item] = [item for item in objects_of(chart, values) if item["kind"] == "StatefulSet"]
        return item["spec"]["template"]["metadata"]["annotations"]["checksum/run"]

    assert checksum({}) == checksum({"serviceAccount": {"annotations": {"a": "b"}}})
    assert checksum({}) != checksum({"training": {"hydra": {"data": {"n_samples": 4}}}})


def test_the_token_comes_from_the_named_secret(chart: HelmChart) -> None:
    """With a Secret of the user's, the chart makes none."""
    objects = objects_of(chart, {"ray": {"auth": {"existingSecret": "mine", "key": "it"}}})

    assert not [item for item in objects if item["kind"] == "Secret"]
    [token] = [item for item in training_container(objects)["env"] if item["name"] == "RAY_AUTH_TOKEN"]
    assert token["valueFrom"]["secretKeyRef"] == {"name": "mine", "key": "it"}


@pytest.mark.parametrize("release", ["a", "rlinf", "x" * 53, "rlinf-" + "y" * 47])
def test_names_fit_whatever_the_release_is_called(release: str, chart: HelmChart) -> None:
    """Pods carry a label NAME-HASH, which has 63 characters at most."""
    [item] = [item for item in objects_of(chart, release=release) if item["kind"] == "StatefulSet"]
    assert len(f"{item['metadata']['name']}-0123456789") <= 63


def test_long_names_that_start_alike_stay_apart(chart: HelmChart) -> None:
    """A hash tells two long releases apart, so both fit in one namespace."""
    names = [{item["metadata"]["name"] for item in objects_of(chart, release="z" * 50 + end)} for end in ("-a", "-b")]
    assert not names[0] & names[1]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"storage": {"runs": {"create": False}}},
            (
                "storage.runs.existingClaim is empty and storage.runs.create is false, so the run folder has no "
                "claim: name an existing PersistentVolumeClaim, or set storage.runs.create=true"
            ),
        ),
        (
            {"nodes": {"count": 2}, "storage": {"runs": {"accessMode": "ReadWriteOnce"}}},
            (
                "storage.runs.accessMode is ReadWriteOnce while nodes.count is 2: several nodes write to one run "
                "folder, which needs ReadWriteMany (FSx for Lustre, EFS), or nodes.count=1"
            ),
        ),
        (
            {"ray": {"port": 7000, "dashboardPort": 7000}},
            "ray.port and ray.dashboardPort are both 7000: each needs a port of its own, for example 6379 and 8265",
        ),
        (
            {"ray": {"metricsPort": 6379}},
            "ray.port and ray.metricsPort are both 6379: each needs a port of its own, for example 6379 and 8080",
        ),
        (
            {"extraEnv": {"POD_IP": "10.0.0.1"}},
            ("extraEnv has POD_IP, which the chart sets itself: remove it"),
        ),
        (
            {"nodes": {"resources": {"limits": {"nvidia.com/gpu": 4}}}},
            (
                "nodes.resources.limits has nvidia.com/gpu, which the chart sets itself: set nodes.gpus, efa.devices "
                "and efa.hugepages instead"
            ),
        ),
        (
            {"fullnameOverride": "1e3"},
            (
                "the name of all objects is 1e3, after the release and the chart's name or alias: a Service's name has "
                "lower-case letters, digits and hyphens, a letter first; choose other ones, or set fullnameOverride"
            ),
        ),
        (
            {"nodes": {"gpus": 8}, "ray": {"cpus": 4}},
            (
                "ray.cpus is 4 while a node has 8 GPUs: each GPU's worker takes a CPU, and Ray would wait for ever; "
                "the least is 8, or 0 for two a GPU"
            ),
        ),
        (
            {"nodes": {"count": 3}},
            (
                "training.hydra.data.train_batch_size is 16, which is divided among 3 ranks (nodes.count * GPUs of a "
                "node, one a node without): the nearest valid values are 15 and 18"
            ),
        ),
        (
            {"training": {"hydra": {"data": {"n_samples": 5}}}},
            (
                "training.hydra.data.train_batch_size * training.hydra.data.n_samples is 80, which "
                "training.hydra.actor_rollout_ref.actor.ppo_mini_batch_size, 64, does not divide: the nearest that "
                "it divides are 64 and 128"
            ),
        ),
        (
            {"training": {"engine": "verl"}, "nodes": {"count": 3, "gpus": 8}},
            (
                "training.hydra.actor_rollout_ref.actor.ppo_mini_batch_size is 128, which is divided among 24 ranks "
                "(nodes.count * GPUs of a node, one a node without): the nearest valid values are 120 and 144"
            ),
        ),
    ],
)
def test_rules_name_key_value_and_remedy(values: dict[str, Any], sentence: str, chart: HelmChart) -> None:
    """Each rule's whole sentence; the law holds helm to the same words."""
    with pytest.raises(ValuesError) as refusal:
        objects_of(chart, values)
    assert sentence in refusal.value.sentences


def test_a_learning_rate_can_be_set_as_people_do(chart: HelmChart) -> None:
    """Helm's --set hands 0.001 on as a text: it is taken for the number it is."""
    objects = objects_of(chart, {"training": {"hydra": {"actor_rollout_ref": {"actor": {"optim": {"lr": "1e-4"}}}}}})
    assert '"lr":"1e-4"' in run_json(objects)


def test_the_claim_outlives_the_release_unless_told_otherwise(chart: HelmChart) -> None:
    """Uninstalling a release does not delete its checkpoints."""

    def annotations(values: dict[str, Any]) -> dict[str, str]:
        [claim] = [item for item in objects_of(chart, values) if item["kind"] == "PersistentVolumeClaim"]
        return claim["metadata"].get("annotations", {})

    assert annotations({}) == {"helm.sh/resource-policy": "keep"}
    assert annotations({"storage": {"runs": {"keep": False}}}) == {}


@pytest.mark.parametrize(("name", "value", "own"), [("HOME", "/tmp", "/home/me"), ("USER", "trainer", "me")])
def test_a_user_that_no_image_knows_has_a_home_and_a_name(name: str, value: str, own: str, chart: HelmChart) -> None:
    """PyTorch asks for the user's name when it is imported; each variable is there once, whoever sets it."""
    for mode in ("statefulset", "job", "raycluster", "rayjob"):
        for values, expected in (({}, value), ({"extraEnv": {name: own}}, own)):
            for _, pod in pods_of(objects_of(chart, {"mode": mode, **values})):
                for container in pod["spec"]["containers"]:
                    assert [item["value"] for item in container["env"] if item["name"] == name] == [expected]


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_a_container_that_ends_without_a_word_shows_its_last_lines(mode: str, chart: HelmChart) -> None:
    """In `kubectl describe pod`, as of an image without Python."""
    for _, pod in pods_of(objects_of(chart, {"mode": mode})):
        for container in pod["spec"]["containers"]:
            assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"


@pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.stem)
def test_kubectl_apply_can_write_every_object(file: Path, chart: HelmChart) -> None:
    """It puts the whole object into an annotation, and Kubernetes allows 256 KiB of all annotations together."""
    for item in objects_of(chart, yaml_io.load_file(file)):
        size = len(json.dumps(item, separators=(",", ":")))
        assert size < 220_000, f"{item['kind']} {item['metadata']['name']}"


def test_the_launch_folder_is_whole(chart: HelmChart) -> None:
    """Each file of the bootstrap is in one of the ConfigMaps, and the volume gives it its place."""
    objects = objects_of(chart)
    [volume] = [volume for volume in pod_spec(objects)["volumes"] if volume["name"] == "launch"]
    files = {
        item["path"]: named(objects, "ConfigMap", source["configMap"]["name"])["data"][item["key"]]
        for source in volume["projected"]["sources"]
        for item in source["configMap"]["items"]
    }
    assert files == {**launch_files(), "run.json": files["run.json"]}
