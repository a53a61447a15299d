"""What pods run on, from literals: a platform team needs none of our values."""

from __future__ import annotations

from typing import Any

import cdk8s
import pytest
from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import document, plain
from rlinf_constructs.platform.devices import device_limits
from rlinf_constructs.platform.gang import PodGroup, PodGroupProps
from rlinf_constructs.platform.identity import secret_variable
from rlinf_constructs.platform.scheduling import Scheduling, apart, scheduled
from rlinf_constructs.platform.security import container_security_context, pod_security_context
from rlinf_constructs.platform.storage import StaticVolume, StaticVolumeProps


@pytest.fixture
def objects() -> cdk8s.Chart:
    """A scope to build in."""
    return cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "team")


def rendered(objects: cdk8s.Chart) -> list[dict[str, Any]]:
    """The plain objects, without any values."""
    manifests = objects.to_json()
    return [item for manifest in manifests for item in plain.render(document.parse(manifest), helm.Environment())]


def pod_of(objects: cdk8s.Chart, spec: k8s.PodSpec) -> dict[str, Any]:
    """The rendered spec of a pod."""
    k8s.KubePod(objects, "Pod", metadata=k8s.ObjectMeta(name="pod"), spec=spec)
    [pod] = rendered(objects)
    return pod["spec"]


def test_huge_pages_are_a_limit_beside_the_devices() -> None:
    """Where they are asked for."""
    limits = device_limits(gpus=1, efa_devices=1, hugepages="2Gi")
    assert limits == {"nvidia.com/gpu": 1, "vpc.amazonaws.com/efa": 1, "hugepages-2Mi": "2Gi"}


def test_an_empty_scheduling_leaves_the_pod_alone(objects: cdk8s.Chart) -> None:
    """No field is written."""
    spec = k8s.PodSpec(containers=[k8s.Container(name="main")])
    assert pod_of(objects, scheduled(spec, Scheduling())) == {"containers": [{"name": "main"}]}


def test_scheduling_by_literals(objects: cdk8s.Chart) -> None:
    """Each field as it is given."""
    scheduling = Scheduling(
        node_selector={"zone": "a"},
        tolerations=[{"key": "team", "operator": "Exists"}],
        affinity={"podAntiAffinity": apart({"app": "training"})},
        priority_class_name="high",
        scheduler_name="other",
        runtime_class_name="nvidia",
    )
    spec = pod_of(objects, scheduled(k8s.PodSpec(containers=[k8s.Container(name="main")]), scheduling))

    assert spec["nodeSelector"] == {"zone": "a"}
    assert spec["tolerations"] == [{"key": "team", "operator": "Exists"}]
    [term] = spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["labelSelector"] == {"matchLabels": {"app": "training"}}
    assert (spec["priorityClassName"], spec["schedulerName"]) == ("high", "other")
    assert spec["runtimeClassName"] == "nvidia"


@pytest.mark.parametrize(("ipc_lock", "added"), [(False, {}), (True, {"add": ["IPC_LOCK"]})])
def test_locked_memory_is_added_only_where_it_is_asked_for(
    ipc_lock: bool, added: dict[str, list[str]], objects: cdk8s.Chart
) -> None:
    """Everything else is dropped."""
    context = container_security_context(read_only_root_filesystem=True, ipc_lock=ipc_lock)
    spec = pod_of(objects, k8s.PodSpec(containers=[k8s.Container(name="main", security_context=context)]))
    assert spec["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"], **added}


@pytest.mark.parametrize(("user", "is_not_root"), [(1000, True), (0, False)])
def test_a_pod_runs_as_root_only_where_user_0_is_asked_for(user: int, is_not_root: bool, objects: cdk8s.Chart) -> None:
    """The check of kubelet follows the user."""
    context = pod_security_context(run_as_user=user, run_as_group=1000, fs_group=1000)
    spec = pod_of(objects, k8s.PodSpec(containers=[k8s.Container(name="main")], security_context=context))
    assert spec["securityContext"]["runAsNonRoot"] is is_not_root


def test_a_variable_from_a_secret_names_it(objects: cdk8s.Chart) -> None:
    """Its value is nowhere in the object."""
    variable = secret_variable("TOKEN", secret="mine", key="token")
    spec = pod_of(objects, k8s.PodSpec(containers=[k8s.Container(name="main", env=[variable])]))
    assert spec["containers"][0]["env"] == [
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "mine", "key": "token"}}}
    ]


def test_a_static_volume_and_its_claim_are_for_each_other(objects: cdk8s.Chart) -> None:
    """Neither binds to anything else."""
    props = StaticVolumeProps(
        name="volume",
        claim="claim",
        namespace="robots",
        labels={},
        access_mode="ReadWriteMany",
        size="1Gi",
        mount_options=["flock"],
        driver="fsx.csi.aws.com",
        handle="fs-0123",
        attributes={"dnsname": "a", "mountname": "b"},
    )
    StaticVolume(objects, "Volume", props)
    volume, claim = rendered(objects)

    assert volume["spec"]["claimRef"] == {"namespace": "robots", "name": "claim"}
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"] == "volume"
    assert volume["spec"]["storageClassName"] == claim["spec"]["storageClassName"] == ""


def test_a_pod_group_counts_its_pods(objects: cdk8s.Chart) -> None:
    """Volcano starts that many or none."""
    PodGroup(objects, "Gang", PodGroupProps(name="gang", labels={}, queue="gpu", pods=4))
    [group] = rendered(objects)
    assert group["spec"] == {"queue": "gpu", "minMember": 4}
