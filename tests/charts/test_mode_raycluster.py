"""Mode `raycluster`: a RayCluster of KubeRay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ray_crds import crd_schemas
from rendered_objects import named, objects_of, one, pods_of, run_json
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults

OLD = {"version": "1.5"}
# Its default batches fit 32 ranks.
VERL = {"engine": "verl"}


def spec_of(chart: HelmChart, **values: Any) -> dict[str, Any]:
    """The RayCluster's spec."""
    return one(objects_of(chart, {"mode": "raycluster", **values}), "RayCluster")["spec"]


def resources(group: dict[str, Any]) -> dict[str, Any]:
    """What the container of a group asks for."""
    return group["template"]["spec"]["containers"][0]["resources"]


def test_a_ray_cluster_takes_the_place_of_the_stateful_set(chart: HelmChart) -> None:
    """And the Service names the head alone."""
    assert {item["kind"] for item in objects_of(chart, {"mode": "raycluster"})} == {
        *("ServiceAccount", "Secret", "ConfigMap", "PersistentVolumeClaim", "Service", "RayCluster", "Pod"),
        *("NetworkPolicy", "PodDisruptionBudget"),
    }


@pytest.mark.skipif(
    not crd_schemas("1.7"), reason="the folder shared/facts/kuberay-1.7.0 with the CRDs' schemas is absent"
)
@pytest.mark.parametrize("version", ["1.5", "1.7"])
def test_the_operator_knows_every_field(chart: HelmChart, version: str) -> None:
    """By the schema of its CRD, unknown fields refused."""
    objects = objects_of(chart, {"mode": "raycluster", "kuberay": {"version": version}, "nodes": {"gpus": 8}})

    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


def test_the_head_is_one_of_the_nodes(chart: HelmChart) -> None:
    """Head and workers together are nodes.count, all with the same resources, and their number is fixed."""
    spec = spec_of(chart, nodes={"count": 4, "gpus": 8}, efa={"enabled": True, "devices": 32}, training=VERL)
    head, [workers] = spec["headGroupSpec"], spec["workerGroupSpecs"]

    assert [workers[key] for key in ("replicas", "minReplicas", "maxReplicas")] == [3, 3, 3]
    assert resources(head) == resources(workers)
    assert resources(head)["limits"] == {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}
    assert head["rayStartParams"] == {
        "port": "6379",
        "dashboard-port": "8265",
        "metrics-export-port": "8080",
        "num-cpus": "16",
    }
    assert workers["rayStartParams"] == {"metrics-export-port": "8080", "num-cpus": "16"}


def test_the_autoscaler_is_off_and_leaves_no_trace(chart: HelmChart) -> None:
    """Neither fields nor a token for the Kubernetes API."""
    spec = spec_of(chart)

    assert not {"enableInTreeAutoscaling", "autoscalerOptions"} & set(spec)
    assert "account-token" not in str(spec)


@pytest.mark.parametrize(("separate", "most"), [(False, 3), (True, 4)])
def test_the_autoscaler_has_the_number_of_workers(chart: HelmChart, separate: bool, most: int) -> None:
    """Between the least and nodes.count; what runs it meets `restricted` and is the one that may ask Kubernetes."""
    autoscaler = {"enabled": True, "minWorkers": 1, "idleSeconds": 60}
    spec = spec_of(chart, nodes={"count": 4}, kuberay={"autoscaler": autoscaler, "head": {"separate": separate}})
    options, [workers] = spec["autoscalerOptions"], spec["workerGroupSpecs"]

    assert (workers["minReplicas"], workers["maxReplicas"]) == (1, most)
    assert "replicas" not in workers
    assert spec["enableInTreeAutoscaling"]
    assert (options["version"], options["idleTimeoutSeconds"]) == ("v2", 60)
    assert options["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    account = "/var/run/secrets/kubernetes.io/serviceaccount"
    assert account in [mount["mountPath"] for mount in options["volumeMounts"]]
    for group in (spec["headGroupSpec"], workers):
        pod = group["template"]["spec"]
        assert not pod["automountServiceAccountToken"]
        assert account not in str(pod["containers"])


def test_the_autoscaler_gets_rays_token_and_no_other_secret(chart: HelmChart) -> None:
    """Keys of hubs and trackers are the trainer's."""
    spec = spec_of(chart, kuberay={"autoscaler": {"enabled": True}}, secrets={"huggingFace": {"name": "hub"}})

    [trainer] = spec["headGroupSpec"]["template"]["spec"]["containers"]
    secret = [variable["name"] for variable in trainer["env"] if "secretKeyRef" in variable.get("valueFrom", {})]
    assert secret == ["RAY_AUTH_TOKEN", "HF_TOKEN"]
    options = spec["autoscalerOptions"]["env"]
    assert [it["name"] for it in options if "secretKeyRef" in it.get("valueFrom", {})] == ["RAY_AUTH_TOKEN"]


def test_only_runs_on_an_autoscaled_cluster_ask_for_nodes(chart: HelmChart) -> None:
    """Also those of other releases; a RayJob's own cluster has its nodes from the start."""

    def asks(**values: Any) -> bool:
        objects = objects_of(chart, {"kuberay": {"autoscaler": {"enabled": True}}, **values})
        return json.loads(run_json(objects))["ray"]["autoscaled"]

    assert asks(mode="raycluster")
    there = {"storage": {"runs": {"existingClaim": "runs"}}, "ray": {"auth": {"existingSecret": "token"}}}
    assert asks(mode="rayjob", rayJob={"clusterSelector": "shared", "submissionMode": "HTTPMode"}, **there)
    assert not asks(mode="rayjob")
    assert not asks(mode="statefulset")


def test_a_separate_head_stands_beside_the_nodes(chart: HelmChart) -> None:
    """It has no devices and offers Ray no CPU, so that no rank is placed on it, and is free of the nodes' rules."""
    spec = spec_of(
        chart,
        nodes={"count": 4, "gpus": 8},
        efa={"enabled": True, "devices": 32},
        scheduling={"nodeSelector": {"type": "p5"}, "onePodPerNode": "always", "runtimeClassName": "nvidia"},
        training=VERL,
        kuberay={"head": {"separate": True, "cpu": "2", "memory": "6Gi", "nodeSelector": {"type": "m7i"}}},
    )
    head, [workers] = spec["headGroupSpec"], spec["workerGroupSpecs"]

    assert workers["replicas"] == 4
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert resources(head) == {"requests": {"cpu": "2", "memory": "6Gi"}, "limits": {"memory": "6Gi"}}
    assert head["template"]["spec"]["nodeSelector"] == {"type": "m7i"}
    assert workers["template"]["spec"]["nodeSelector"] == {"type": "p5"}
    assert workers["template"]["spec"]["runtimeClassName"] == "nvidia"
    assert not {"affinity", "tolerations", "runtimeClassName"} & set(head["template"]["spec"])


def test_the_operator_starts_ray_and_jobs_find_the_launch_folder(chart: HelmChart) -> None:
    """No command of ours; probes that need no tool in the image."""
    objects = objects_of(chart, {"mode": "raycluster"})
    for name, pod in pods_of([one(objects, "RayCluster")]):
        [container] = pod["spec"]["containers"]
        assert "command" not in container, name
        assert {"name": "launch", "mountPath": "/opt/rlinf/launch", "readOnly": True} in container["volumeMounts"]
        for probe in ("readinessProbe", "livenessProbe"):
            assert container[probe]["httpGet"]["port"] == 52365


def test_a_job_gets_the_time_to_save(chart: HelmChart) -> None:
    """Ray would kill it 3 seconds after it was told to stop, and not even tell it when the pods end."""
    head = spec_of(chart, training={"deadlines": {"stopSeconds": 90}})["headGroupSpec"]

    [container] = head["template"]["spec"]["containers"]
    assert {"name": "RAY_JOB_STOP_WAIT_TIME_S", "value": "90"} in container["env"]
    assert container["lifecycle"] == {"preStop": {"exec": {"command": ["sh", "/opt/rlinf/launch/launch.sh", "stop"]}}}
    assert head["template"]["spec"]["terminationGracePeriodSeconds"] == 100


def test_a_service_of_ours_names_the_head(chart: HelmChart) -> None:
    """`helm test` finds the head there, in both modes of KubeRay, before the operator has made its own Services."""
    for mode in ("raycluster", "rayjob"):
        objects = objects_of(chart, {"mode": mode})
        service = named(objects, "Service", "rel-rlinf-head")
        run = json.loads(run_json(objects))

        assert run["ray"]["head_host"] == f"{service['metadata']['name']}.robots.svc"
        assert service["spec"]["publishNotReadyAddresses"] is True
        selector = service["spec"]["selector"]
        assert selector.pop("ray.io/node-type") == "head"
        for _, pod in pods_of([item for item in objects if item["kind"].startswith("Ray")]):
            if "livenessProbe" in pod["spec"]["containers"][0]:
                assert selector.items() <= pod["metadata"]["labels"].items()


def test_the_container_ends_with_the_job(chart: HelmChart) -> None:
    """Nothing holds a job that is done."""
    run = json.loads(run_json(objects_of(chart, {"mode": "raycluster"})))

    assert run["on_finish"] == "exit"


def test_the_operator_shares_our_token_where_it_knows_tokens(chart: HelmChart) -> None:
    """1.7 reads the Secret; 1.5 has no field for it, and Ray's pods get it all the same."""
    new, old = spec_of(chart), spec_of(chart, kuberay=OLD)

    assert new["authOptions"] == {"mode": "token", "secretName": "rel-rlinf-ray-token"}
    assert "authOptions" not in old
    for spec in (new, old):
        env = {item["name"]: item for item in spec["headGroupSpec"]["template"]["spec"]["containers"][0]["env"]}
        assert env["RAY_AUTH_MODE"]["value"] == "token"
        assert env["RAY_AUTH_TOKEN"]["valueFrom"]["secretKeyRef"] == {
            "name": "rel-rlinf-ray-token",
            "key": "auth_token",
        }


def test_without_a_token_there_is_no_trace_of_it(chart: HelmChart) -> None:
    """No Secret, no environment, no field."""
    objects = objects_of(chart, {"mode": "raycluster", "ray": {"auth": {"enabled": False}}})
    rendered = json.dumps([item for item in objects if item["kind"] != "ConfigMap"])

    assert "auth" not in rendered
    assert "AUTH" not in rendered
    assert not [item for item in objects if item["kind"] == "Secret"]


def test_pods_are_replaced_on_an_upgrade_where_the_operator_can(chart: HelmChart) -> None:
    """1.5 leaves pods with an old template alone, and NOTES say so."""
    assert spec_of(chart)["upgradeStrategy"] == {"type": "Recreate"}
    assert "upgradeStrategy" not in spec_of(chart, kuberay=OLD)


def test_more_options_of_ray_start(chart: HelmChart) -> None:
    """They stand beside the chart's own."""
    spec = spec_of(chart, kuberay={"workers": {"rayStartParams": {"object-store-memory": "100000000"}}})

    assert spec["workerGroupSpecs"][0]["rayStartParams"] == {
        "metrics-export-port": "8080",
        "num-cpus": "2",
        "object-store-memory": "100000000",
    }


def test_names_fit_whatever_the_release_is_called(chart: HelmChart) -> None:
    """A RayCluster's name has 53 characters at most, a RayJob's 47."""
    for mode, kind, longest in (("raycluster", "RayCluster", 53), ("rayjob", "RayJob", 47)):
        item = one(objects_of(chart, {"mode": mode}, release="x" * 53), kind)
        assert len(item["metadata"]["name"]) <= longest
