"""Mode `job`: an Indexed Job."""

from __future__ import annotations

import json
from typing import Any

from rendered_objects import named, objects_of, one, run_json
from rlinf_constructs.helm import HelmChart
from tests_support import kubernetes_faults


def job_of(chart: HelmChart, **values: Any) -> dict[str, Any]:
    """The Job of a rendering."""
    return one(objects_of(chart, {"mode": "job", **values}), "Job")


def test_a_job_takes_the_place_of_the_stateful_set(chart: HelmChart) -> None:
    """All else is the same, and Kubernetes takes it."""
    objects = objects_of(chart, {"mode": "job", "job": {"ttlSecondsAfterFinished": 60}})

    assert {item["kind"] for item in objects} == {
        *("ServiceAccount", "Secret", "ConfigMap", "PersistentVolumeClaim", "Service", "Job", "Pod"),
        *("NetworkPolicy", "PodDisruptionBudget"),
    }
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


def test_one_pod_a_node_and_the_head_decides(chart: HelmChart) -> None:
    """All indexes run at once; the Job has succeeded when index 0 has."""
    spec = job_of(chart, nodes={"count": 4})["spec"]

    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 4, 4)
    assert spec["successPolicy"] == {"rules": [{"succeededIndexes": "0"}]}


def test_a_wrong_configuration_fails_at_once_and_a_disruption_does_not_count(chart: HelmChart) -> None:
    """By the bootstrap's exit codes, and by the condition of an evicted pod."""
    ignore, fail = job_of(chart)["spec"]["podFailurePolicy"]["rules"]

    assert ignore == {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    assert fail["action"] == "FailJob"
    assert fail["onExitCodes"] == {"containerName": "trainer", "operator": "In", "values": [10, 11, 13, 18]}


def test_pods_find_the_head_by_its_host_name(chart: HelmChart) -> None:
    """The host name NAME-INDEX is the node's name to Ray, the pod's own name ends in a suffix."""
    objects = objects_of(chart, {"mode": "job"})
    name = one(objects, "Job")["metadata"]["name"]
    pod = one(objects, "Job")["spec"]["template"]["spec"]
    run = json.loads(run_json(objects))

    assert run["ray"]["head_host"] == f"{name}-0.{pod['subdomain']}.robots.svc"
    assert pod["subdomain"] == named(objects, "Service", "rel-rlinf-nodes")["metadata"]["name"]
    rank, node_name = pod["containers"][0]["env"][:2]
    assert rank["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.labels['batch.kubernetes.io/job-completion-index']"
    assert node_name == {"name": "POD_NAME", "value": f"{name}-$(RLINF_NODE_RANK)"}


def test_the_container_ends_with_the_training(chart: HelmChart) -> None:
    """A Job that holds a finished run would never end."""
    objects = objects_of(chart, {"mode": "job"})

    assert json.loads(run_json(objects))["on_finish"] == "exit"
    assert one(objects, "Job")["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_zero_means_unset(chart: HelmChart) -> None:
    """Kubernetes would take a zero at its word and delete or fail the Job."""
    spec = job_of(chart)["spec"]

    assert "ttlSecondsAfterFinished" not in spec
    assert "activeDeadlineSeconds" not in spec
    assert spec["backoffLimit"] == 6
    assert "suspend" not in spec


def test_the_name_follows_what_a_job_cannot_change(chart: HelmChart) -> None:
    """A new template is another Job; what can change in place leaves the name alone."""

    def name(**values: Any) -> str:
        return job_of(chart, **values)["metadata"]["name"]

    assert name() == name(job={"suspend": True, "backoffLimit": 1})
    assert name() != name(image={"tag": "2"})


def test_names_fit_whatever_the_release_is_called(chart: HelmChart) -> None:
    """A host name NAME-INDEX has 63 characters at most."""
    [item] = [item for item in objects_of(chart, {"mode": "job"}, release="x" * 53) if item["kind"] == "Job"]

    assert len(f"{item['metadata']['name']}-999") <= 63
