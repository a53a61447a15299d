"""The one pod template that every mode uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import cdk8s
from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, Expression, IntegerLike, Kind, StringLike
from rlinf_constructs.platform.scheduling import Scheduling, scheduled
from rlinf_constructs.platform.security import container_security_context, pod_security_context
from rlinf_constructs.platform.storage import Mount
from rlinf_constructs.training import extras, launch
from rlinf_constructs.training.extras import Extras

CONTAINER = "trainer"
METRICS_PORT = "metrics"
PREFLIGHT_CONTAINER = "preflight"

_LAUNCH = ["sh", launch.SCRIPT]
_ALIVE = ["sh", f"{launch.MOUNT_PATH}/alive.sh"]
_TEMPORARY_VOLUME = "tmp"
_SHARED_MEMORY_VOLUME = "shm"
# Of Ray's agent on each node, where KubeRay leaves it.
_AGENT_PORT = 52365
# Those that KubeRay's `autoscalerOptions` take.
_FIELDS_OF_THE_AUTOSCALER = ("imagePullPolicy", "env", "envFrom", "securityContext", "volumeMounts")
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
class Rank:
    """How a pod learns which node of the run it is.

    Attributes:
        label: the pod's label that holds its ordinal, set by the controller.
        stem: of the nodes' names STEM-0, STEM-1, ..., which are also the pods' host names.
    """

    label: str
    stem: StringLike


@dataclass(frozen=True, kw_only=True)
class TrainingPodProps:
    """Properties of a training pod.

    Attributes:
        image: with its tag or digest.
        image_pull_policy: of the image.
        image_pull_secrets: names of Secrets, a list expression.
        labels: of the pod.
        rank: which node of the run it is; None for a pod that is no node, or whose node Ray's operator starts.
        annotations: of the pod; a change rolls it.
        service_account: name.
        launch: the launch folder, made by `launch_volume`.
        token: environment made by `ray_token`; empty for a Ray that asks for none.
        ray_port: of the head.
        dashboard_port: of the head.
        metrics_port: of Ray's metrics, on every node.
        environment: maps of variables by name; a later map wins. Values of the last may be {valueFrom: ...}.
        secret_variables: further variables, such as those of `platform.identity.secret_variable`.
        requests: resource requests by name.
        limits: resource limits by name.
        shared_memory: size of /dev/shm.
        mounts: further volumes, with their mounts.
        scratch: a volume of each pod's own, with its mount; a pod that trains nothing needs less behind it.
        volumes_of_others: further volumes, for containers that an operator adds to the pod.
        extras: what a user adds.
        security: user and groups.
        scheduling: which nodes it may get.
        termination_grace_period_seconds: from SIGTERM to SIGKILL.
        subdomain: name of the headless Service, where the controller does not set it.
        restart_policy: whether kubelet starts an ended container again.
    """

    image: StringLike
    image_pull_policy: StringLike
    image_pull_secrets: Expression
    labels: Mapping[str, Any]
    rank: Rank | None = None
    annotations: Mapping[str, Any]
    service_account: StringLike
    launch: k8s.Volume
    token: Sequence[k8s.EnvVar]
    ray_port: IntegerLike
    dashboard_port: IntegerLike
    metrics_port: IntegerLike
    environment: Sequence[Expression]
    secret_variables: Sequence[k8s.EnvVar] = ()
    requests: Mapping[str, Any]
    limits: Mapping[str, Any]
    shared_memory: StringLike
    mounts: Sequence[Mount] = ()
    scratch: Mount | None = None
    volumes_of_others: Sequence[k8s.Volume] = ()
    extras: Extras = field(default_factory=Extras)
    security: Security = field(default_factory=Security)
    scheduling: Scheduling = field(default_factory=Scheduling)
    termination_grace_period_seconds: IntegerLike
    subdomain: StringLike | None = None
    restart_policy: Literal["Always", "Never"] = "Always"


def ray_token(*, secret: StringLike, key: StringLike) -> list[k8s.EnvVar]:
    """The environment that makes Ray ask for a token, and give it, from a Secret."""
    token = k8s.SecretKeySelector(name=helm.string(secret), key=helm.string(key))
    return [
        k8s.EnvVar(name="RAY_AUTH_MODE", value="token"),
        k8s.EnvVar(name="RAY_AUTH_TOKEN", value_from=k8s.EnvVarSource(secret_key_ref=token)),
    ]


def training_pod(props: TrainingPodProps) -> k8s.PodTemplateSpec:
    """The template of a pod that runs one node of the training; the bootstrap finds its role by its rank."""
    spec = _pod_spec(props, _node_container(props), init_containers=_init_containers(props))
    return k8s.PodTemplateSpec(metadata=_metadata(props), spec=spec)


def ray_pod(
    props: TrainingPodProps,
    *,
    job_stop_seconds: IntegerLike,
    preflight: Expression | None = None,
    shared_as: tuple[str, str] = ("rayPod", "A node whose Ray KubeRay's operator starts."),
) -> dict[str, Any]:
    """The template of a pod in which KubeRay's operator starts Ray, with the launch folder for the jobs that come.

    It is plain data, for KubeRay's kinds have no typed structs.

    Args:
        props: of the pod; without a rank.
        job_stop_seconds: what a job gets to save when it is told to stop.
        preflight: whether the node is checked before Ray starts, as the bootstrap does by itself; None: never.
        shared_as: name of the template that holds the spec where several groups of pods have it, and its comment.
    """
    env = _ray_environment(props, job_stop_seconds)
    health = k8s.HttpGetAction(path="/api/local_raylet_healthz", port=k8s.IntOrString.from_number(_AGENT_PORT))
    container = _container(
        props,
        command=None,
        env=env,
        pre_stop=[*_LAUNCH, "stop"],
        ports=_ports(props),
        # The operator's own probes may run wget, which not every image has. Its thresholds are right: a raylet that
        # hangs for ten minutes does not come back.
        readiness_probe=k8s.Probe(http_get=health, period_seconds=5, timeout_seconds=5, failure_threshold=10),
        liveness_probe=k8s.Probe(
            http_get=health, initial_delay_seconds=30, period_seconds=5, timeout_seconds=5, failure_threshold=120
        ),
    )
    checks = [] if preflight is None else [helm.when(preflight, _preflight_container(props, env))]
    # Last, so that it sees what the user's own containers fetched.
    spec = _pod_spec(props, container, init_containers=[*_init_containers(props), *checks])
    name, about = shared_as
    spec = helm.shared(name, spec, about=about)
    return _untyped(k8s.PodTemplateSpec(metadata=_metadata(props), spec=spec))


def _ray_environment(props: TrainingPodProps, job_stop_seconds: IntegerLike) -> list[k8s.EnvVar]:
    return [
        # Ray's own 3 s are not enough for a checkpoint.
        _unless_given(props, "RAY_JOB_STOP_WAIT_TIME_S", job_stop_seconds),
        # By then all jobs have ended, see stop.py of the bootstrap.
        _unless_given(props, "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S", "0"),
        _unless_given(props, "RAY_USAGE_STATS_ENABLED", "0"),
    ]


def submitter_pod(props: TrainingPodProps) -> dict[str, Any]:
    """The template of a pod in which KubeRay's operator runs `ray job submit`, as plain data."""
    spec = _pod_spec(replace(props, restart_policy="Never"), _container(props, command=None))
    spec = helm.shared("submitterPod", spec, about="A pod in which KubeRay's operator submits the job.")
    return _untyped(k8s.PodTemplateSpec(metadata=_metadata(props), spec=spec))


def autoscaler_container(
    props: TrainingPodProps, *, job_stop_seconds: IntegerLike, mount: k8s.VolumeMount
) -> dict[str, Any]:
    """The fields of the container that runs Ray's autoscaler in the trainer's image beside a `ray_pod`, as plain data.

    Args:
        props: of the pod, but with requests and limits of this container.
        job_stop_seconds: as of the pod.
        mount: of the account's token.
    """
    container = _container(props, env=_ray_environment(props, job_stop_seconds), more_mounts=[mount])
    template = _untyped(k8s.PodTemplateSpec(spec=k8s.PodSpec(containers=[container])))
    [fields] = template["spec"]["containers"]
    taken = {name: fields[name] for name in _FIELDS_OF_THE_AUTOSCALER if name in fields}
    return {**taken, "resources": {"requests": dict(props.requests), "limits": dict(props.limits)}}


def helper_pod_spec(props: TrainingPodProps, *, role: str) -> k8s.PodSpec:
    """The spec of a pod that runs the bootstrap once in another role, beside the nodes."""
    return _pod_spec(replace(props, restart_policy="Never"), _container(props, args=[role]))


def _untyped(template: k8s.PodTemplateSpec) -> dict[str, Any]:
    scratch = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "scratch")
    return k8s.KubePodTemplate(scratch, "Template", template=template).to_json()["template"]


def _metadata(props: TrainingPodProps) -> k8s.ObjectMeta:
    return k8s.ObjectMeta(labels=dict(props.labels), annotations=dict(props.annotations))


def _pod_spec(
    props: TrainingPodProps, container: k8s.Container, *, init_containers: list[k8s.Container] | None = None
) -> k8s.PodSpec:
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
        security_context=helm.shared(
            "podSecurity",
            pod_security_context(
                run_as_user=props.security.run_as_user,
                run_as_group=props.security.run_as_group,
                fs_group=props.security.fs_group,
            ),
            about="Under whom the pods run.",
        ),
        restart_policy=None if props.restart_policy == "Always" else props.restart_policy,
        subdomain=None if props.subdomain is None else helm.string(props.subdomain),
        termination_grace_period_seconds=helm.number(props.termination_grace_period_seconds),
        init_containers=init_containers or None,
        containers=[container],
        volumes=_volumes(props),
    )
    return scheduled(pod, props.scheduling)


def _init_containers(props: TrainingPodProps) -> list[k8s.Container]:
    containers = extras.init_containers(props.extras, security_context=_security_context(props))
    about = "Containers of the user's, before the trainer and beside it."
    return [helm.shared("extraContainers", it, about=about) for it in containers]


def _security_context(props: TrainingPodProps, *, ipc_lock: BooleanLike = False) -> k8s.SecurityContext:
    return container_security_context(
        read_only_root_filesystem=props.security.read_only_root_filesystem, ipc_lock=ipc_lock
    )


def _node_container(props: TrainingPodProps) -> k8s.Container:
    return _container(
        props,
        ports=_ports(props),
        # The bootstrap's loop writes a file whose age these look at. One that has hung so long does not come back; one
        # that starts may find its Python on a volume that is slow at first.
        startup_probe=k8s.Probe(
            exec=k8s.ExecAction(command=[*_ALIVE, "30"]), period_seconds=5, timeout_seconds=10, failure_threshold=60
        ),
        liveness_probe=k8s.Probe(
            exec=k8s.ExecAction(command=[*_ALIVE, "300"]), period_seconds=30, timeout_seconds=10, failure_threshold=3
        ),
        # The bootstrap keeps this file; its module ready.py says when.
        readiness_probe=k8s.Probe(
            exec=k8s.ExecAction(command=["test", "-e", READY_FILE]),
            period_seconds=5,
            timeout_seconds=5,
            failure_threshold=2,
        ),
    )


def _preflight_container(props: TrainingPodProps, env: Sequence[k8s.EnvVar]) -> k8s.Container:
    # With the devices and limits of the container that it goes before: the pod's request is the larger of both.
    return _container(props, name=PREFLIGHT_CONTAINER, args=["preflight"], env=env)


def _ports(props: TrainingPodProps) -> list[k8s.ContainerPort]:
    # KubeRay knows the ports by these names.
    return [
        k8s.ContainerPort(name="gcs-server", container_port=helm.number(props.ray_port)),
        k8s.ContainerPort(name="dashboard", container_port=helm.number(props.dashboard_port)),
        k8s.ContainerPort(name=METRICS_PORT, container_port=helm.number(props.metrics_port)),
    ]


def _container(
    props: TrainingPodProps,
    *,
    name: str = CONTAINER,
    command: list[str] | None = _LAUNCH,
    args: list[str] | None = None,
    env: Sequence[k8s.EnvVar] = (),
    ports: list[k8s.ContainerPort] | None = None,
    startup_probe: k8s.Probe | None = None,
    readiness_probe: k8s.Probe | None = None,
    liveness_probe: k8s.Probe | None = None,
    pre_stop: list[str] | None = None,
    more_mounts: Sequence[k8s.VolumeMount] = (),
) -> k8s.Container:
    container = k8s.Container(
        name=name,
        image=helm.string(props.image),
        image_pull_policy=helm.string(props.image_pull_policy),
        command=command,
        args=args,
        env=[*_names(props.rank), *env, *_environment(props)],
        env_from=extras.env_from(props.extras) or None,
        ports=ports,
        startup_probe=startup_probe,
        readiness_probe=readiness_probe,
        liveness_probe=liveness_probe,
        lifecycle=None
        if pre_stop is None
        else k8s.Lifecycle(pre_stop=k8s.LifecycleHandler(exec=k8s.ExecAction(command=pre_stop))),
        # What ends without a word of the bootstrap's, as an image without Python, shows its last lines.
        termination_message_policy="FallbackToLogsOnError",
        volume_mounts=_volume_mounts(props, more_mounts),
        security_context=helm.shared(
            "containerSecurity",
            _security_context(props, ipc_lock=props.security.ipc_lock),
            about="What the containers may do.",
        ),
    )
    return helm.extend(container, resources={"requests": dict(props.requests), "limits": dict(props.limits)})


def _environment(props: TrainingPodProps) -> list[k8s.EnvVar]:
    """The variables that every pod has."""
    variables = [
        _from_field("POD_NAMESPACE", "metadata.namespace"),
        _from_field("POD_IP", "status.podIP"),
        _unless_given(props, "HOME", "/tmp"),  # noqa: S108 - the only folder that is writable in any image
        # Without it getpass.getuser() looks the user id up, which few images know: already `import torch` may fail.
        _unless_given(props, "USER", CONTAINER),
        *props.token,
        *props.secret_variables,
        _references(props.environment[-1]),
        *(_variables(variables, props.environment[place:]) for place, variables in enumerate(props.environment, 1)),
    ]
    return [helm.shared("variables", it, about="Environment variables of all pods.") for it in variables]


def _unless_given(props: TrainingPodProps, name: str, value: StringLike | IntegerLike) -> k8s.EnvVar:
    """A variable whose value the user's own wins over."""
    variable = k8s.EnvVar(name=name, value=helm.string(value))
    return helm.when(~helm.call("hasKey", props.environment[-1], name), variable)


def _names(rank: Rank | None) -> list[k8s.EnvVar]:
    if rank is None:
        return [_from_field("POD_NAME", "metadata.name")]
    return [
        _from_field("RLINF_NODE_RANK", f"metadata.labels['{rank.label}']"),
        # Not metadata.name: a Job's pods are called NAME-INDEX-SUFFIX, and a new suffix would be another node to Ray.
        k8s.EnvVar(name="POD_NAME", value=f"{helm.string(rank.stem)}-$(RLINF_NODE_RANK)"),
    ]


def _references(variables: Expression) -> k8s.EnvVar:
    """Variables by `valueFrom`, before those that are text and may say $(NAME) of them."""

    def reference(name: Expression, value: Expression) -> k8s.EnvVar:
        source = helm.call("dig", "valueFrom", helm.call("dict"), value, kind=Kind.MAP)
        item = helm.extend(k8s.EnvVar(name=helm.string(name)), valueFrom=helm.splice(source))
        return helm.when(helm.call("kindIs", "map", value), item)

    return helm.each_entry(variables, reference)


def _variables(variables: Expression, winners: Sequence[Expression]) -> k8s.EnvVar:
    def variable(name: Expression, value: Expression) -> k8s.EnvVar:
        item = k8s.EnvVar(name=helm.string(name), value=helm.string(value))
        if not winners:
            item = helm.when(helm.call("kindIs", "string", value), item)
        for winner in winners:
            item = helm.when(~helm.call("hasKey", winner, name), item)
        return item

    return helm.each_entry(variables, variable)


def _from_field(name: str, path: str) -> k8s.EnvVar:
    return k8s.EnvVar(name=name, value_from=k8s.EnvVarSource(field_ref=k8s.ObjectFieldSelector(field_path=path)))


def _volumes(props: TrainingPodProps) -> list[k8s.Volume]:
    volumes = [
        props.launch,
        k8s.Volume(name=_TEMPORARY_VOLUME, empty_dir=k8s.EmptyDirVolumeSource()),
        k8s.Volume(
            name=_SHARED_MEMORY_VOLUME,
            empty_dir=k8s.EmptyDirVolumeSource(
                medium="Memory", size_limit=k8s.Quantity.from_string(helm.string(props.shared_memory))
            ),
        ),
        *(mount.volume for mount in props.mounts if mount.volume is not None),
        *props.volumes_of_others,
        *extras.volumes(props.extras),
    ]
    shared = [helm.shared("volumes", volume, about="Volumes of the pods.") for volume in volumes]
    return shared if props.scratch is None or props.scratch.volume is None else [*shared, props.scratch.volume]


def _volume_mounts(props: TrainingPodProps, more: Sequence[k8s.VolumeMount]) -> list[k8s.VolumeMount]:
    mounts = [
        k8s.VolumeMount(name=launch.VOLUME, mount_path=launch.MOUNT_PATH, read_only=True),
        k8s.VolumeMount(name=_TEMPORARY_VOLUME, mount_path="/tmp"),  # noqa: S108 - the pod's own emptyDir
        k8s.VolumeMount(name=_SHARED_MEMORY_VOLUME, mount_path="/dev/shm"),  # noqa: S108 - likewise
        *(mount.mount for mount in props.mounts),
        *([] if props.scratch is None else [props.scratch.mount]),
        *more,
        *extras.volume_mounts(props.extras),
    ]
    return helm.shared("volumeMounts", mounts, about="Where the pods see their volumes.")
