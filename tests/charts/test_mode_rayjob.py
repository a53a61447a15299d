"""Mode `rayjob`: a RayJob of KubeRay, on a cluster of its own or on one that is there."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from ray_crds import crd_schemas
from rendered_objects import objects_of, one, run_json
from rlinf_constructs.helm import HelmChart, ValuesError
from tests_support import kubernetes_faults

ON_CLUSTER = {
    "mode": "rayjob",
    "rayJob": {"clusterSelector": "shared-rlinf"},
    "ray": {"auth": {"existingSecret": "shared-rlinf-ray-token"}},
    "storage": {"runs": {"existingClaim": "shared-rlinf-runs"}},
}
ON = "rayJob.clusterSelector is shared-rlinf"


def spec_of(chart: HelmChart, **values: Any) -> dict[str, Any]:
    """The RayJob's spec."""
    return one(objects_of(chart, {"mode": "rayjob", **values}), "RayJob")["spec"]


@pytest.mark.skipif(
    not crd_schemas("1.7"), reason="the folder shared/facts/kuberay-1.7.0 with the CRDs' schemas is absent"
)
@pytest.mark.parametrize("values", [{"mode": "rayjob"}, ON_CLUSTER], ids=["own-cluster", "on-cluster"])
def test_the_operator_knows_every_field(chart: HelmChart, values: dict[str, Any]) -> None:
    """By the schema of its CRD, unknown fields refused."""
    assert [fault for item in objects_of(chart, values) for fault in kubernetes_faults(item)] == []


def test_its_own_cluster_is_that_of_mode_raycluster(chart: HelmChart) -> None:
    """The same groups and token; but nothing says for which run the pods were made, for a running job does not roll."""
    own = spec_of(chart, nodes={"count": 2})["rayClusterSpec"]
    cluster = one(objects_of(chart, {"mode": "raycluster", "nodes": {"count": 2}}), "RayCluster")["spec"]

    del cluster["upgradeStrategy"]
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        del group["template"]["metadata"]["annotations"]
    assert own == cluster


def test_the_token_outlives_the_release(chart: HelmChart) -> None:
    """The operator needs it to stop a training whose RayJob is deleted, and Helm deletes both at once."""
    keep = {"helm.sh/resource-policy": "keep"}
    for mode in ("rayjob", "raycluster", "job", "statefulset"):
        secret = one(objects_of(chart, {"mode": mode}), "Secret")
        assert secret["metadata"].get("annotations") == (keep if mode == "rayjob" else None)


def test_the_job_runs_the_bootstrap_on_the_head(chart: HelmChart) -> None:
    """From the launch folder that its cluster's pods mount."""
    spec = spec_of(chart)

    assert spec["entrypoint"] == "exec sh /opt/rlinf/launch/launch.sh submit"
    assert spec["shutdownAfterJobFinishes"] is True
    unset = {"ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit", "clusterSelector", "suspend"}
    assert not unset & set(spec)


def test_a_pod_of_ours_submits_it(chart: HelmChart) -> None:
    """The operator's own has neither PATH nor volumes nor a security context, and may not find `ray`."""
    spec = spec_of(chart, extraEnv={"PATH": "/venv/bin:/bin"}, nodes={"gpus": 8}, kuberay={"version": "1.7"})
    pod = spec["submitterPodTemplate"]["spec"]
    [container] = pod["containers"]

    assert pod["restartPolicy"] == "Never"
    assert "command" not in container
    assert {"name": "PATH", "value": "/venv/bin:/bin"} in container["env"]
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["resources"]["limits"] == {"memory": "1Gi"}


@pytest.mark.parametrize("mode", ["HTTPMode", "SidecarMode"])
def test_other_submission_modes_have_no_submitter(chart: HelmChart, mode: str) -> None:
    """The operator refuses a template that it would not use."""
    spec = spec_of(chart, rayJob={"submissionMode": mode})

    assert spec["submissionMode"] == mode
    assert "submitterPodTemplate" not in spec


def test_on_a_cluster_that_is_there_the_run_travels_in_the_command_line(chart: HelmChart) -> None:
    """Its pods mount another release's run.json; base64 keeps shells from reading `$` in ours."""
    hydra = {"actor_rollout_ref": {"model": {"path": "/models/vla"}}, "+note": "${oc.env:HOME}'\""}
    values = {**ON_CLUSTER, "training": {"engine": "verl", "hydra": hydra}}
    objects = objects_of(chart, values)
    spec = one(objects, "RayJob")["spec"]
    entrypoint, _, encoded = spec["entrypoint"].rpartition(" ")

    assert entrypoint == "exec sh /opt/rlinf/launch/launch.sh submit --run"
    run = base64.b64decode(encoded).decode()
    assert run.rstrip() == run_json(objects).rstrip()
    assert json.loads(run)["ray"]["head_host"] == "shared-rlinf-head.robots.svc"
    assert spec["clusterSelector"] == {"ray.io/cluster": "shared-rlinf"}
    assert not {"rayClusterSpec", "shutdownAfterJobFinishes", "suspend", "backoffLimit"} & set(spec)


def test_on_a_cluster_that_is_there_nothing_of_its_own_is_made(chart: HelmChart) -> None:
    """Token and run folder are the cluster's."""
    assert {item["kind"] for item in objects_of(chart, ON_CLUSTER)} == {
        *("ServiceAccount", "ConfigMap", "NetworkPolicy", "RayJob", "Pod")
    }


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"kuberay": {"version": "1.5"}},
            (
                "ray.auth.enabled is true while kuberay.version is 1.5 and mode is rayjob: that operator asks Ray for "
                "the job without a token and is refused for ever; set ray.auth.enabled=false here and on the cluster, "
                "or install KubeRay 1.7 and set kuberay.version=1.7"
            ),
        ),
        (
            {"ray": {"auth": {"existingSecret": "mine", "key": "token"}}},
            (
                "ray.auth.key is token, but KubeRay takes the token from the key auth_token of the Secret and no "
                "other: store it there, and set ray.auth.key=auth_token"
            ),
        ),
        (
            {"kuberay": {"rayVersion": "2.9.3"}},
            (
                "kuberay.rayVersion is 2.9.3, but Ray asks for a token from 2.52.0 on: use an image with a newer Ray "
                "and set its version"
            ),
        ),
        (
            {"kuberay": {"suspend": True}, "rayJob": {"shutdownAfterJobFinishes": False}},
            (
                "kuberay.suspend is true while rayJob.shutdownAfterJobFinishes is false: the operator suspends a job "
                "by deleting its cluster; set rayJob.shutdownAfterJobFinishes=true, or kuberay.suspend=false"
            ),
        ),
        (
            {"rayJob": {"ttlSecondsAfterFinished": 60, "shutdownAfterJobFinishes": False}},
            (
                "rayJob.ttlSecondsAfterFinished is 60 while rayJob.shutdownAfterJobFinishes is false: the time until "
                "the cluster is deleted needs a cluster that is; set rayJob.shutdownAfterJobFinishes=true, or "
                "rayJob.ttlSecondsAfterFinished=0"
            ),
        ),
        (
            {**ON_CLUSTER, "kuberay": {"suspend": True}},
            (
                f"kuberay.suspend is true while {ON}: the operator suspends a job by deleting its cluster, and that "
                "one is not the job's; set kuberay.suspend=false, or rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "rayJob": {"clusterSelector": "shared-rlinf", "backoffLimit": 2}},
            (
                f"rayJob.backoffLimit is 2 while {ON}: each new try takes a fresh cluster, and that one is not the "
                "job's; set rayJob.backoffLimit=0, or rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "rayJob": {"clusterSelector": "shared-rlinf", "ttlSecondsAfterFinished": 60}},
            (
                f"rayJob.ttlSecondsAfterFinished is 60 while {ON}: the cluster stays when the job has ended; set "
                "rayJob.ttlSecondsAfterFinished=0, or rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "rayJob": {"clusterSelector": "shared-rlinf", "submissionMode": "SidecarMode"}},
            (
                f"rayJob.submissionMode is SidecarMode while {ON}: the operator adds the sidecar to the head when it "
                "makes the cluster, and that one is there already; set rayJob.submissionMode=K8sJobMode, or "
                "rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "storage": {}},
            (
                f"storage.runs.existingClaim is empty while {ON}: the run folder lies in the claim that the cluster's "
                "pods mount; set it to that claim, or rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "ray": {}},
            (
                f"ray.auth.existingSecret is empty while {ON}: the token is the cluster's; set it to that cluster's "
                "Secret, or rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "fullnameOverride": "shared-rlinf"},
            (
                f"the name of this release's objects is shared-rlinf while {ON}: a release with this selector makes "
                "no cluster to run on; set rayJob.clusterSelector to the cluster of another release, or "
                "rayJob.clusterSelector="
            ),
        ),
        (
            {
                **ON_CLUSTER,
                "dashboard": {"ingress": {"enabled": True, "host": "ray.team.internal"}},
                "networkPolicy": {"dashboardFrom": [{"podSelector": {}}]},
            },
            (
                f"dashboard.ingress.enabled is true while {ON}: the dashboard is the cluster's, and the release that "
                "made it makes its Ingress; set dashboard.ingress.enabled=false here, or rayJob.clusterSelector="
            ),
        ),
        (
            {**ON_CLUSTER, "podMonitor": {"enabled": True}},
            (
                f"podMonitor.enabled is true while {ON}: the metrics are those of the cluster's pods, and the release "
                "that made them makes their PodMonitor; set podMonitor.enabled=false here, or rayJob.clusterSelector="
            ),
        ),
        (
            {"kuberay": {"head": {"rayStartParams": {"num-cpus": "4"}}}},
            "kuberay.head.rayStartParams has num-cpus, which the chart sets from ray.cpus: set ray.cpus instead",
        ),
        (
            {"kuberay": {"workers": {"rayStartParams": {"num-cpus": "4"}}}},
            "kuberay.workers.rayStartParams has num-cpus, which the chart sets from ray.cpus: set ray.cpus instead",
        ),
    ],
)
def test_what_the_operator_would_refuse_is_refused_before(
    values: dict[str, Any], sentence: str, chart: HelmChart
) -> None:
    """Each rule's whole sentence; the law holds helm to the same words."""
    with pytest.raises(ValuesError) as refusal:
        objects_of(chart, {"mode": "rayjob", **values})
    assert refusal.value.sentences == [sentence]


@pytest.mark.parametrize("version", ["2.52.0", "2.60.1", "2.100.0", "3.0.0", "10.0.0"])
def test_newer_versions_of_ray_are_newer(version: str, chart: HelmChart) -> None:
    """Compared as numbers, not as text."""
    assert spec_of(chart, kuberay={"rayVersion": version})["rayClusterSpec"]["rayVersion"] == version
