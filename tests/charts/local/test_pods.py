"""From the chart's manifests to plans of pods, and what is refused."""

from typing import Any

import pytest

from rlinf_charts.local import LocalError
from rlinf_charts.local.pods import File, Pod, plan_pods


def planned(manifests: list[dict[str, Any]]) -> list[Pod]:
    """The pods, in the namespace ml."""
    return plan_pods(manifests, namespace="ml")


def refusal(manifests: list[dict[str, Any]]) -> str:
    """The text of the refusal."""
    with pytest.raises(LocalError) as error:
        planned(manifests)
    return str(error.value)


def pod_spec(manifests: list[dict[str, Any]]) -> dict[str, Any]:
    """The pod template of the StatefulSet."""
    return next(item for item in manifests if item["kind"] == "StatefulSet")["spec"]["template"]["spec"]


def test_a_stateful_set_becomes_its_pods(manifests: Any) -> None:
    """Each replica has its name, address and rank; hook pods and Kubernetes' own objects are passed over."""
    head, worker = planned(manifests())

    assert (head.name, worker.name) == ("rlinf-0", "rlinf-1")
    assert (head.ip, worker.ip) == ("127.0.0.2", "127.0.0.3")
    assert worker.containers[0].env == {
        "RLINF_NODE_RANK": "1",
        "POD_NAME": "rlinf-1",
        "POD_IP": "127.0.0.3",
        "POD_NAMESPACE": "ml",
        "RAY_AUTH_TOKEN": "secret",
        "MUJOCO_GL": "disabled",
        "RUN_MARK": "/runs",
    }


def test_pods_have_the_names_of_the_headless_service(manifests: Any) -> None:
    """From the shortest to the fully qualified one."""
    assert planned(manifests())[1].host_names == [
        "rlinf-1.rlinf-nodes",
        "rlinf-1.rlinf-nodes.ml",
        "rlinf-1.rlinf-nodes.ml.svc",
        "rlinf-1.rlinf-nodes.ml.svc.cluster.local",
    ]


def test_command_and_arguments_expand_variables(manifests: Any) -> None:
    """`$(VAR)` in them is the container's variable."""
    [head, _] = planned(manifests(command=["echo", "$(POD_NAME)"], args=["$(POD_IP)", "$(NOT_SET)", "$$(POD_IP)"]))

    assert head.containers[0].argv == ["echo", "rlinf-0", "127.0.0.2", "$(NOT_SET)", "$(POD_IP)"]


def test_items_choose_and_rename_files(manifests: Any) -> None:
    """`items` gives a file's path and mode; a Secret's texts are decoded."""
    objects = manifests()
    secret = {"secretName": "rlinf-ray", "defaultMode": 0o400, "items": [{"key": "token", "path": "ray/token"}]}
    pod_spec(objects)["volumes"].append({"name": "token", "secret": secret})

    assert planned(objects)[0].volumes["token"].files == {"ray/token": File(text="secret", mode=0o400)}


def test_several_config_maps_make_one_folder(manifests: Any) -> None:
    """A projected volume of ConfigMaps and Secrets, each with its own files, and one mode for all."""
    objects = manifests()
    run = {"name": "rlinf-launch", "items": [{"key": "run.json", "path": "a/run.json"}]}
    token = {"name": "rlinf-ray", "items": [{"key": "token", "path": "token", "mode": 0o400}]}
    projected = {"defaultMode": 0o440, "sources": [{"configMap": run}, {"secret": token}]}
    pod_spec(objects)["volumes"].append({"name": "both", "projected": projected})

    files = planned(objects)[0].volumes["both"].files
    assert {path: file.mode for path, file in files.items()} == {"a/run.json": 0o440, "token": 0o400}
    assert files["token"].text == "secret"


def test_init_containers_and_sidecars_are_told_apart(manifests: Any) -> None:
    """One that is always restarted runs beside the trainer."""
    objects = manifests()
    copy, logs = {"name": "copy", "command": ["cp"]}, {"name": "logs", "command": ["logs"], "restartPolicy": "Always"}
    pod_spec(objects)["initContainers"] = [logs, copy]
    [head, _] = planned(objects)

    assert [container.name for container in head.init_containers] == ["copy"]
    assert [container.name for container in head.containers] == ["trainer", "logs"]


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "Job", "Deployment", "Pod"])
def test_other_kinds_are_refused_by_name(manifests: Any, kind: str) -> None:
    """The sentence names the object and the way out."""
    objects = [*manifests(), {"kind": kind, "metadata": {"name": "rlinf"}, "spec": {}}]

    assert refusal(objects) == (
        f"local runs StatefulSets; this chart renders {kind}/rlinf: use --set mode=statefulset, or a cluster"
    )


def test_a_chart_without_pods_is_refused(manifests: Any) -> None:
    """No StatefulSet, or one with no replica."""
    objects = manifests()
    next(item for item in objects if item["kind"] == "StatefulSet")["spec"]["replicas"] = 0

    assert refusal(objects) == (
        "local runs StatefulSets; this chart renders none with a replica: use --set mode=statefulset"
    )


def test_unsupported_fields_are_refused_by_name(manifests: Any) -> None:
    """Of the pod, a container, a mount or a volume; ignored is only what is listed in one place."""
    out = "; leave it out, or use a cluster"
    network, projected, expression = manifests(), manifests(), manifests()
    pod_spec(network)["hostNetwork"] = True
    pod_spec(projected)["volumes"].append({"name": "aws", "projected": {"sources": []}})
    pod_spec(expression)["containers"][0]["volumeMounts"][1]["subPathExpr"] = "$(POD_NAME)"

    assert refusal(network) == f"StatefulSet/rlinf: local does not support `hostNetwork`{out}"
    assert refusal(projected) == f"StatefulSet/rlinf, volume aws: local does not support `projected`{out}"
    assert refusal(expression) == (
        f"StatefulSet/rlinf, container trainer, mount /runs: local does not support `subPathExpr`{out}"
    )
    assert refusal(manifests(lifecycle={"preStop": {}})) == (
        f"StatefulSet/rlinf, container trainer: local does not support `lifecycle`{out}"
    )


def test_empty_fields_ask_for_nothing(manifests: Any) -> None:
    """An unsupported field without content is no reason to refuse."""
    objects = manifests(lifecycle={}, securityContext={"runAsNonRoot": True})
    pod_spec(objects) | {"initContainers": [], "hostNetwork": False}

    assert len(planned(objects)) == 2


def test_a_container_without_a_command_is_refused(manifests: Any) -> None:
    """Local has no images whose entry point could run."""
    assert refusal(manifests(command=[])) == (
        "StatefulSet/rlinf, container trainer: local has no images, so it needs a `command`; set one, or use a cluster"
    )


def test_a_mount_of_everything_is_refused(manifests: Any) -> None:
    """A volume at / would rewrite every path."""
    assert refusal(manifests(volumeMounts=[{"name": "tmp", "mountPath": "/"}])) == (
        "StatefulSet/rlinf, container trainer: local cannot mount at /; use an absolute path below /"
    )


def test_a_volume_of_a_missing_key_is_refused(manifests: Any) -> None:
    """The refusal lists the keys that there are."""
    objects = manifests()
    pod_spec(objects)["volumes"][0]["configMap"]["items"] = [{"key": "run.jsn", "path": "run.json"}]

    assert refusal(objects) == (
        "StatefulSet/rlinf, volume launch: ConfigMap/rlinf-launch has no key run.jsn; "
        "it has launch.sh, run.json, program.py"
    )
