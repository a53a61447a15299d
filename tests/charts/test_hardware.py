"""What a pod asks for on an instance type, and what no node of it could give."""

from __future__ import annotations

from typing import Any

import pytest

from rendered_objects import objects_of, pod_spec, refusal_of, training_container, variables_of
from rlinf_charts import profiles
from rlinf_charts.environment import SEEDS
from rlinf_charts.instances import instances
from rlinf_constructs.helm import HelmChart
from tests_support import ROOT


def resources_of(chart: HelmChart, values: dict[str, Any]) -> dict[str, Any]:
    """Requests and limits of the container that trains."""
    return training_container(objects_of(chart, values))["resources"]


def test_without_a_type_a_pod_asks_for_little(chart: HelmChart) -> None:
    """A CPU and 4Gi, no device, no limit, and any node will do."""
    objects = objects_of(chart)

    assert resources_of(chart, {}) == {"requests": {"cpu": "1", "memory": "4Gi"}}
    assert not {"nodeSelector", "tolerations", "affinity"} & set(pod_spec(objects))
    assert variables_of(objects).keys() == {"POD_NAME", "HOME", "USER", "RAY_AUTH_MODE"}


def test_a_type_sets_all_that_a_pod_asks_for(chart: HelmChart) -> None:
    """Devices, CPU, memory, shared memory, the node selector, and the toleration of GPU nodes."""
    values = {"instance": {"type": "p5.48xlarge"}}
    pod = pod_spec(objects_of(chart, values))

    assert resources_of(chart, values) == {
        "requests": {"cpu": "181", "memory": "1788Gi"},
        "limits": {"memory": "1788Gi", "nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
    }
    [shared_memory] = [volume for volume in pod["volumes"] if volume["name"] == "shm"]
    assert shared_memory["emptyDir"] == {"medium": "Memory", "sizeLimit": "200Gi"}
    assert pod["nodeSelector"] == {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    assert pod["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


def test_each_of_them_can_be_overridden(chart: HelmChart) -> None:
    """The value that names a thing wins over the type."""
    values = {
        "instance": {"type": "p5.48xlarge"},
        "nodes": {
            "gpus": 4,
            "sharedMemory": "10Gi",
            "resources": {"requests": {"cpu": "90", "ephemeral-storage": "1Ti"}, "limits": {"memory": "900Gi"}},
        },
        "efa": {"devices": 16, "hugepages": "5120Mi"},
        "scheduling": {"nodeSelector": {"zone": "a"}},
    }

    assert resources_of(chart, values) == {
        "requests": {"cpu": "90", "memory": "900Gi", "ephemeral-storage": "1Ti"},
        "limits": {"memory": "900Gi", "nvidia.com/gpu": 4, "vpc.amazonaws.com/efa": 16, "hugepages-2Mi": "5120Mi"},
    }
    assert pod_spec(objects_of(chart, values))["nodeSelector"] == {
        "node.kubernetes.io/instance-type": "p5.48xlarge",
        "zone": "a",
    }


def test_quantities_may_be_numbers(chart: HelmChart) -> None:
    """As `--set nodes.resources.limits.cpu=4` gives them; a request is never more than its limit."""
    values = {"nodes": {"resources": {"requests": {"cpu": 0.5}, "limits": {"cpu": 4, "memory": 8 * 1024**3}}}}

    assert resources_of(chart, values) == {
        "requests": {"cpu": "0.5", "memory": "8589934592"},
        "limits": {"cpu": "4", "memory": "8589934592"},
    }


@pytest.mark.parametrize("instance_type", instances())
def test_every_type_gives_a_pod_that_fits_it(instance_type: str, chart: HelmChart) -> None:
    """No rule is broken, and something is left for DaemonSets."""
    row = profiles.profile(instance_type)

    objects_of(chart, {"instance": {"type": instance_type}})
    assert instances()[instance_type].cpu_millis - 1000 * int(row.cpu) >= 1000


def test_a_run_on_one_node_needs_no_efa(chart: HelmChart) -> None:
    """Without EFA, neither the devices nor the plugin's variable."""
    values = {"instance": {"type": "p5.48xlarge"}, "efa": {"enabled": False}}

    assert "vpc.amazonaws.com/efa" not in resources_of(chart, values)["limits"]
    assert "NCCL_NET_PLUGIN" not in variables_of(objects_of(chart, values))


@pytest.mark.parametrize(
    ("environment", "names"),
    [("current", {"NCCL_NET_PLUGIN", "NCCL_SOCKET_IFNAME"}), ("seeds", set(SEEDS)), ("none", set[str]())],
)
def test_variables_of_efa_come_as_a_preset(environment: str, names: set[str], chart: HelmChart) -> None:
    """The few of today, the seeds' whole list, or none."""
    values = {"instance": {"type": "p5.48xlarge"}, "efa": {"environment": environment}}
    assert variables_of(objects_of(chart, values)).keys() - {"POD_NAME", "HOME", "USER", "RAY_AUTH_MODE"} == names


def test_a_variable_of_the_user_wins(chart: HelmChart) -> None:
    """It takes the place of the preset's, and is not there twice."""
    values = {"instance": {"type": "p5.48xlarge"}, "extraEnv": {"NCCL_SOCKET_IFNAME": "eth0"}}
    assert variables_of(objects_of(chart, values))["NCCL_SOCKET_IFNAME"] == "eth0"


def test_every_variable_of_the_seeds_is_explained() -> None:
    """docs/efa.md says of each what it does today."""
    text = (ROOT / "docs" / "efa.md").read_text(encoding="utf-8")
    assert [name for name in SEEDS if f"`{name}={SEEDS[name]}`" not in text] == []


def test_locked_memory_is_a_capability_of_root(chart: HelmChart) -> None:
    """IPC_LOCK is added only where it is asked for, and then the pod is no longer restricted."""
    values = {"efa": {"ipcLock": True}, "podSecurity": {"runAsUser": 0}}
    context = training_container(objects_of(chart, values))["securityContext"]

    assert context["capabilities"] == {"add": ["IPC_LOCK"], "drop": ["ALL"]}
    assert pod_spec(objects_of(chart, values))["securityContext"]["runAsNonRoot"] is False


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"nodes": {"resources": {"requests": {"cpu": 1, "nvidia.com/mig-1g.5gb": 1}}}},
            (
                "nodes.resources.requests has nvidia.com/mig-1g.5gb, but nodes.resources.limits has not: nodes give it "
                "whole, and without a limit Kubernetes refuses such a pod; move it to nodes.resources.limits, from "
                "which the request follows"
            ),
        ),
        (
            {"instance": {"type": "g6e.xlarge"}, "nodes": {"gpus": 2}},
            "nodes.gpus is 2, but a g6e.xlarge has 1 GPUs: the most is 1",
        ),
        (
            {"instance": {"type": "p4d.24xlarge"}, "efa": {"devices": 32}},
            "efa.devices is 32, but a p4d.24xlarge has 4 EFA devices: the most is 4",
        ),
        (
            {"nodes": {"resources": {"requests": {"cpu": "192"}}}},
            (
                "nodes.resources asks for cpu: 192, but a p5.48xlarge offers 191450m, and DaemonSets take some of it: "
                "leave it unset for 181"
            ),
        ),
        (
            {"nodes": {"resources": {"requests": {"memory": "2Ti"}}}},
            (
                "nodes.resources asks for memory: 2Ti, but a p5.48xlarge offers 1928154Mi, and DaemonSets take some of "
                "it: leave it unset for 1788Gi"
            ),
        ),
        (
            {"nodes": {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1500m"}}}},
            (
                "nodes.resources.requests.cpu is 2, more than the limit of 1500m: Kubernetes refuses such a pod; "
                "the most is 1500m"
            ),
        ),
        (
            {
                "nodes": {
                    "resources": {"requests": {"memory": "5G"}, "limits": {"memory": "4Gi"}},
                    "sharedMemory": "1Gi",
                }
            },
            (
                "nodes.resources.requests.memory is 5G, more than the limit of 4Gi: Kubernetes refuses such a pod; "
                "the most is 4Gi"
            ),
        ),
        (
            {"nodes": {"resources": {"limits": {"memory": "64Gi"}}}},
            (
                "nodes.sharedMemory is 200Gi, more than the limit of 64Gi: what is used of it counts as memory of the "
                "pod; the most is 64Gi"
            ),
        ),
        (
            {"efa": {"hugepages": "11Gi"}},
            "efa.hugepages is 11Gi, but the EFA AMI sets 10256Mi aside on a p5.48xlarge: that is the most",
        ),
        (
            {"efa": {"ipcLock": True}},
            (
                "efa.ipcLock is true while podSecurity.runAsUser is 1000: Kubernetes gives an added capability to root "
                "only, so it would do nothing; set efa.ipcLock=false, since nodes of the EKS AMIs do not limit locked "
                "memory, or podSecurity.runAsUser=0"
            ),
        ),
    ],
)
def test_rules_name_key_value_and_remedy(values: dict[str, Any], sentence: str, chart: HelmChart) -> None:
    """Each rule's whole sentence."""
    assert refusal_of(chart, {"instance": {"type": "p5.48xlarge"}, **values}) == [sentence]


def test_an_unknown_type_is_refused_with_those_that_exist(chart: HelmChart) -> None:
    """By the schema, before any template runs."""
    [_, sentence] = refusal_of(chart, {"instance": {"type": "p5.24xlarge"}})
    assert sentence.startswith("- at '/instance/type': value must be one of '', 'p4d.24xlarge', 'p4de.24xlarge', ")
