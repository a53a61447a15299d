"""The one pod template that every mode uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, Expression, IntegerLike, StringLike
from rlinf_constructs.platform.scheduling import Scheduling, scheduled
from rlinf_constructs.platform.security import container_security_context, pod_security_context
from rlinf_constructs.platform.storage import Mount
from rlinf_constructs.training import launch

CONTAINER = "trainer"

_LAUNCH_VOLUME = "launch"
_TEMPORARY_VOLUME = "tmp"
_SHARED_MEMORY_VOLUME = "shm"
READY_FILE = "/tmp/rlinf-ready"  # noqa: S108 - /tmp is the pod's own emptyDir


@dataclass(frozen=True, kw_only=True)
class Security:
    """User, groups, root file system and locked memory of a pod; see `platform.security` for what is always on."""

    run_as_user: IntegerLike = 1000
    run_as_group: IntegerLike = 1000
    fs_group: IntegerLike = 1000
    read_only_root_filesystem: BooleanLike = True
    ipc_lock: BooleanLike = False


@dataclass(frozen=True, kw_only=True)
class TrainingPodProps:
    """Properties of a training pod.

    Attributes:
        image: with its tag or digest.
        image_pull_policy: of the image.
        image_pull_secrets: names of Secrets, a list expression.
        labels: of the pod.
        rank_label: the label that holds the pod's ordinal, set by the controller; None for a pod that is no node.
        annotations: of the pod; a change rolls it.
        service_account: name.
        launch_config_map: name of the ConfigMap made by LaunchConfigMap.
        token_secret: Secret with Ray's token.
        token_key: its key there.
        ray_port: of the head.
        dashboard_port: of the head.
        environment: maps of variables by name; a later map wins.
        secret_variables: further variables, such as those of `platform.identity.secret_variable`.
        requests: resource requests by name.
        limits: resource limits by name.
        shared_memory: size of /dev/shm.
        mounts: further volumes, with their mounts.
        security: user and groups.
        scheduling: which nodes it may get.
        termination_grace_period_seconds: from SIGTERM to SIGKILL.
    """

    image: StringLike
    image_pull_policy: StringLike
    image_pull_secrets: Expression
    labels: Mapping[str, Any]
    rank_label: str | None
    annotations: Mapping[str, Any]
    service_account: StringLike
    launch_config_map: StringLike
    token_secret: StringLike
    token_key: StringLike
    ray_port: IntegerLike
    dashboard_port: IntegerLike
    environment: Sequence[Expression]
    secret_variables: Sequence[k8s.EnvVar] = ()
    requests: Mapping[str, Any]
    limits: Mapping[str, Any]
    shared_memory: StringLike
    mounts: Sequence[Mount] = ()
    security: Security = field(default_factory=Security)
    scheduling: Scheduling = field(default_factory=Scheduling)
    termination_grace_period_seconds: IntegerLike


def training_pod(props: TrainingPodProps) -> k8s.PodTemplateSpec:
    """The template of a pod that runs one node of the training; the bootstrap finds its role by its rank."""
    return k8s.PodTemplateSpec(metadata=_metadata(props), spec=_pod_spec(props, _node_container(props)))


def helper_pod_spec(props: TrainingPodProps, *, role: str) -> k8s.PodSpec:
    """The spec of a pod that runs the bootstrap once in another role, beside the nodes."""
    container = _container(props, args=[role])
    return helm.extend(_pod_spec(props, container), restartPolicy="Never")


def _metadata(props: TrainingPodProps) -> k8s.ObjectMeta:
    return k8s.ObjectMeta(labels=dict(props.labels), annotations=dict(props.annotations))


def _pod_spec(props: TrainingPodProps, container: k8s.Container) -> k8s.PodSpec:
    pod = k8s.PodSpec(
        automount_service_account_token=False,
        # A Service per variable would fill the environment with what nobody reads.
        enable_service_links=False,
        service_account_name=helm.string(props.service_account),
        image_pull_secrets=[
            helm.each(
                props.image_pull_secrets, lambda name: k8s.LocalObjectReference(name=helm.string(name)), name="secret"
            )
        ],
        security_context=pod_security_context(
            run_as_user=props.security.run_as_user,
            run_as_group=props.security.run_as_group,
            fs_group=props.security.fs_group,
        ),
        termination_grace_period_seconds=helm.number(props.termination_grace_period_seconds),
        containers=[container],
        volumes=_volumes(props),
    )
    return scheduled(pod, props.scheduling)


def _node_container(props: TrainingPodProps) -> k8s.Container:
    return _container(
        props,
        ports=[
            k8s.ContainerPort(name="gcs", container_port=helm.number(props.ray_port)),
            k8s.ContainerPort(name="dashboard", container_port=helm.number(props.dashboard_port)),
        ],
        # The bootstrap keeps this file; its module ready.py says when.
        readiness_probe=k8s.Probe(
            exec=k8s.ExecAction(command=["test", "-e", READY_FILE]),
            period_seconds=5,
            timeout_seconds=5,
            failure_threshold=2,
        ),
    )


def _container(
    props: TrainingPodProps,
    *,
    args: list[str] | None = None,
    ports: list[k8s.ContainerPort] | None = None,
    readiness_probe: k8s.Probe | None = None,
) -> k8s.Container:
    container = k8s.Container(
        name=CONTAINER,
        image=helm.string(props.image),
        image_pull_policy=helm.string(props.image_pull_policy),
        command=["sh", launch.SCRIPT],
        args=args,
        env=_environment(props),
        ports=ports,
        readiness_probe=readiness_probe,
        volume_mounts=[
            k8s.VolumeMount(name=_LAUNCH_VOLUME, mount_path=launch.MOUNT_PATH, read_only=True),
            k8s.VolumeMount(name=_TEMPORARY_VOLUME, mount_path="/tmp"),  # noqa: S108 - the pod's own emptyDir
            k8s.VolumeMount(name=_SHARED_MEMORY_VOLUME, mount_path="/dev/shm"),  # noqa: S108 - likewise
            *(mount.mount for mount in props.mounts),
        ],
        security_context=container_security_context(
            read_only_root_filesystem=props.security.read_only_root_filesystem, ipc_lock=props.security.ipc_lock
        ),
    )
    return helm.extend(container, resources={"requests": dict(props.requests), "limits": dict(props.limits)})


def _environment(props: TrainingPodProps) -> list[k8s.EnvVar]:
    rank = [_from_field("RLINF_NODE_RANK", f"metadata.labels['{props.rank_label}']")] if props.rank_label else []
    return [
        _from_field("POD_NAME", "metadata.name"),
        _from_field("POD_NAMESPACE", "metadata.namespace"),
        _from_field("POD_IP", "status.podIP"),
        *rank,
        # The only folder that is writable in any image; a user's own HOME wins.
        helm.when(~helm.call("hasKey", props.environment[-1], "HOME"), k8s.EnvVar(name="HOME", value="/tmp")),  # noqa: S108
        k8s.EnvVar(name="RAY_AUTH_MODE", value="token"),
        k8s.EnvVar(
            name="RAY_AUTH_TOKEN",
            value_from=k8s.EnvVarSource(
                secret_key_ref=k8s.SecretKeySelector(
                    name=helm.string(props.token_secret), key=helm.string(props.token_key)
                )
            ),
        ),
        *props.secret_variables,
        *(_variables(variables, props.environment[place:]) for place, variables in enumerate(props.environment, 1)),
    ]


def _variables(variables: Expression, winners: Sequence[Expression]) -> k8s.EnvVar:
    def variable(name: Expression, value: Expression) -> k8s.EnvVar:
        item = k8s.EnvVar(name=helm.string(name), value=helm.string(value))
        for winner in winners:
            item = helm.when(~helm.call("hasKey", winner, name), item)
        return item

    return helm.each_entry(variables, variable)


def _from_field(name: str, path: str) -> k8s.EnvVar:
    return k8s.EnvVar(name=name, value_from=k8s.EnvVarSource(field_ref=k8s.ObjectFieldSelector(field_path=path)))


def _volumes(props: TrainingPodProps) -> list[k8s.Volume]:
    return [
        k8s.Volume(
            name=_LAUNCH_VOLUME, config_map=k8s.ConfigMapVolumeSource(name=helm.string(props.launch_config_map))
        ),
        k8s.Volume(name=_TEMPORARY_VOLUME, empty_dir=k8s.EmptyDirVolumeSource()),
        k8s.Volume(
            name=_SHARED_MEMORY_VOLUME,
            empty_dir=k8s.EmptyDirVolumeSource(
                medium="Memory", size_limit=k8s.Quantity.from_string(helm.string(props.shared_memory))
            ),
        ),
        *(mount.volume for mount in props.mounts if mount.volume is not None),
    ]
