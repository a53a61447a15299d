"""What users add to pods and objects, and rules that keep it apart from the chart's own."""

from __future__ import annotations

from typing import Any

from rlinf_charts.names import values
from rlinf_charts.volumes import DATASETS, HAS_FSX, MODELS
from rlinf_constructs.helm import Expression, Rule, call, conditional, fmt, for_each, for_each_entry
from rlinf_constructs.training.extras import Extras
from rlinf_constructs.training.launch import MOUNT_PATH
from rlinf_constructs.training.pod import CONTAINER

_storage = values.storage

EXTRAS = Extras(
    env_from=values.extra_env_from,
    volumes=values.extra_volumes,
    volume_mounts=values.extra_volume_mounts,
    init_containers=values.extra_init_containers,
    sidecars=values.sidecars,
)


def _one_source(index: Expression, source: Expression) -> Rule:
    has_secret, has_config_map = call("hasKey", source, "secretRef"), call("hasKey", source, "configMapRef")
    return Rule(
        broken=(has_secret & has_config_map) | (~has_secret & ~has_config_map),
        message=fmt(
            "extraEnvFrom.",
            index,
            " has ",
            conditional(has_secret, "both", "neither"),
            " of secretRef and configMapRef, and must have one: write it as in {secretRef: {name: s3-keys}}",
        ),
    )


def _volume_name(index: Expression, volume: Any) -> Rule:
    return Rule(
        broken=call("regexMatch", "^(launch|tmp|shm|runs|fsx|scratch|s3-.*|claims-.*)$", volume.name),
        message=fmt(
            "extraVolumes.",
            index,
            ".name is ",
            volume.name,
            ", and the chart keeps launch, tmp, shm, runs, fsx, scratch, s3-KEY and claims-KEY for volumes of its own: "
            "take another name, such as extra-",
            volume.name,
        ),
    )


def _is_mounted(path: Expression) -> Expression:
    """Whether the chart mounts something at a path, but for storage.claims."""
    always = call("regexMatch", f"^({MOUNT_PATH}|/tmp|/dev/shm)$", path)
    return (
        always
        | (~_storage.checkpoints.volume & path.equals(_storage.runs.mount_path))
        | (HAS_FSX & path.equals("/fsx"))
        | (_storage.scratch.size & path.equals("/scratch"))
        | (_storage.models.volume & path.equals(MODELS))
        | (_storage.datasets.volume & path.equals(DATASETS))
        | (call("hasPrefix", "/s3/", path) & call("hasKey", _storage.s3, call("trimPrefix", "/s3/", path)))
    )


def _path_is_taken(index: Expression, mount: Any, taken: Expression, by: Expression) -> Rule:
    return Rule(
        broken=taken,
        message=fmt(
            "extraVolumeMounts.",
            index,
            ".mountPath is ",
            mount.mount_path,
            ", where ",
            by,
            " is mounted: choose another path, such as /extra",
            mount.mount_path,
        ),
    )


def _path_of_the_chart(index: Expression, mount: Any) -> Rule:
    return _path_is_taken(index, mount, _is_mounted(mount.mount_path), fmt("a volume of the chart"))


def _path_of_a_claim(index: Expression, mount: Any) -> Rule:
    return for_each_entry(
        _storage.claims,
        lambda key, claim: _path_is_taken(
            index, mount, claim.mount_path.equals(mount.mount_path), fmt("storage.claims.", key)
        ),
        key="key",
        value="claim",
    )


# KubeRay adds the last two.
_CONTAINERS = (CONTAINER, "preflight", "wait-gcs-ready", "ray-job-submitter")


def _container_name(place: str) -> Any:
    def rule(index: Expression, container: Any) -> Rule:
        return Rule(
            broken=call("regexMatch", f"^({'|'.join(_CONTAINERS)})$", container.name),
            message=fmt(
                f"{place}.",
                index,
                ".name is ",
                container.name,
                f", and a pod has {', '.join(_CONTAINERS)} already: take another name, such as extra-",
                container.name,
            ),
        )

    return rule


def _no_restart_policy(index: Expression, container: Expression) -> Rule:
    return Rule(
        broken=call("hasKey", container, "restartPolicy"),
        message=fmt(
            "sidecars.",
            index,
            ".restartPolicy is set, but a sidecar is always restarted: remove it, or put a container that ends into "
            "extraInitContainers",
        ),
    )


def _label_of_a_node(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_labels, key),
        message=fmt("podLabels has ", key, ", which commonLabels sets for all objects and pods: keep one of them"),
    )


def _annotation_of_helm(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasPrefix", "helm.sh/", key),
        message=fmt(
            "commonAnnotations has ",
            key,
            ": by its annotations Helm tells hooks from other objects and what an uninstall keeps, so it cannot be the "
            "same for all; remove it (storage.runs.keep keeps the run folder's claim)",
        ),
    )


def _annotation_of_the_account(key: Expression, value: Expression) -> Rule:
    del value
    return Rule(
        broken=call("hasKey", values.common_annotations, key),
        message=fmt(
            "serviceAccount.annotations has ", key, ", which commonAnnotations sets for all objects: keep one of them"
        ),
    )


ANNOTATIONS_NEED_AN_ACCOUNT = Rule(
    broken=values.service_account.annotations & ~values.service_account.create,
    message=fmt(
        "serviceAccount.annotations is set while serviceAccount.create is false: the chart does not touch an account "
        "that exists, so the pods would miss the role; annotate that account itself and remove the annotations here, "
        "or set serviceAccount.create=true"
    ),
)

RULES = [
    ANNOTATIONS_NEED_AN_ACCOUNT,
    for_each(values.extra_env_from, _one_source, name="source"),
    for_each(values.extra_volumes, _volume_name, name="volume"),
    for_each(values.extra_volume_mounts, _path_of_the_chart, name="mount"),
    for_each(values.extra_volume_mounts, _path_of_a_claim, name="mount"),
    for_each(values.extra_init_containers, _container_name("extraInitContainers"), name="container"),
    for_each(values.sidecars, _container_name("sidecars"), name="container"),
    for_each(values.sidecars, _no_restart_policy, name="container"),
    for_each_entry(values.pod_labels, _label_of_a_node, key="key", value="value"),
    for_each_entry(values.common_annotations, _annotation_of_helm, key="key", value="value"),
    for_each_entry(values.service_account.annotations, _annotation_of_the_account, key="key", value="value"),
]
