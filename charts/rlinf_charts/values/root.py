"""The values of the chart: one pydantic tree, a module for each top-level key."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rlinf_charts.values.dashboard import Dashboard
from rlinf_charts.values.efa import Efa
from rlinf_charts.values.extras import ExtraContainer, ExtraObject, ExtraVolume, ExtraVolumeMount
from rlinf_charts.values.identity import PodSecurity, ServiceAccount
from rlinf_charts.values.image import Image
from rlinf_charts.values.instance import Instance
from rlinf_charts.values.job import Job
from rlinf_charts.values.kuberay import KubeRay
from rlinf_charts.values.kubernetes import EnvFrom, Variables
from rlinf_charts.values.network_policy import NetworkPolicy
from rlinf_charts.values.nodes import Nodes
from rlinf_charts.values.pod_disruption_budget import PodDisruptionBudget
from rlinf_charts.values.pod_monitor import PodMonitor
from rlinf_charts.values.preflight import Preflight
from rlinf_charts.values.ray import Ray
from rlinf_charts.values.ray_job import RayJob
from rlinf_charts.values.scheduling import Scheduling
from rlinf_charts.values.secrets import Secrets
from rlinf_charts.values.section import OPTIONAL_DNS_LABEL, Annotations, Labels, Section
from rlinf_charts.values.storage import Storage
from rlinf_charts.values.tracking import Tracking
from rlinf_charts.values.training import Training


class RlinfValues(Section):
    """What a user can set."""

    name_override: str = Field(
        default="", description="Replaces the chart's name in object names.", pattern=OPTIONAL_DNS_LABEL, max_length=63
    )
    fullname_override: str = Field(
        default="", description="Replaces the whole name of all objects.", pattern=OPTIONAL_DNS_LABEL, max_length=45
    )
    mode: Literal["statefulset", "job", "raycluster", "rayjob"] = Field(
        default="statefulset",
        description="How the pods run, one a node, the first of them being the Ray head.\n"
        "statefulset: the pods stay after the training, no operator.\n"
        "job: a Kubernetes Job that ends with the training, no operator.\n"
        "raycluster: a cluster of KubeRay's operator, on which jobs train.\n"
        "rayjob: one such job, on a cluster of its own or on one that is there.",
    )
    image: Image = Field(default_factory=Image, description="What the pods run.")
    instance: Instance = Field(default_factory=Instance, description="The kind of machine.")
    nodes: Nodes = Field(default_factory=Nodes, description="The machines that a run takes, one pod on each.")
    efa: Efa = Field(default_factory=Efa, description="Elastic Fabric Adapter, for NCCL between nodes.")
    scheduling: Scheduling = Field(default_factory=Scheduling, description="Which nodes the pods get, and when.")
    ray: Ray = Field(default_factory=Ray, description="The Ray cluster that the pods form.")
    storage: Storage = Field(default_factory=Storage, description="Volumes that outlive a pod.")
    training: Training = Field(default_factory=Training, description="The engine and its configuration.")
    preflight: Preflight = Field(
        default_factory=Preflight, description="The checks of a node before the engine starts on it."
    )
    tracking: Tracking = Field(
        default_factory=Tracking,
        description="Where a run's metrics are seen, besides its run folder. Nothing by default.",
    )
    secrets: Secrets = Field(
        default_factory=Secrets,
        description="Credentials by reference to Secrets that exist; the values hold none.",
    )
    job: Job = Field(default_factory=Job, description="What mode job adds.")
    kuberay: KubeRay = Field(default_factory=KubeRay, description="What the modes raycluster and rayjob add.")
    ray_job: RayJob = Field(default_factory=RayJob, description="What mode rayjob adds.")
    extra_env: Variables = Field(
        default_factory=dict[str, str | dict[str, Any]],
        description='Environment variables of the trainer: quoted strings, as in {NCCL_DEBUG: "WARN"}, or what '
        "Kubernetes calls valueFrom:\n{S3_KEY: {valueFrom: {secretKeyRef: {name: s3, key: accessKey}}}}.",
    )
    extra_env_from: list[EnvFrom] = Field(
        default_factory=list[EnvFrom],
        description="More variables of the trainer, from all keys of ConfigMaps and Secrets:\n"
        "[{secretRef: {name: s3-keys}}]. Variables of extraEnv and of the chart win.",
    )
    extra_volumes: list[ExtraVolume] = Field(
        default_factory=list[ExtraVolume], description="More volumes of the pods, as in a pod's spec."
    )
    extra_volume_mounts: list[ExtraVolumeMount] = Field(
        default_factory=list[ExtraVolumeMount],
        description="More mounts of the trainer, as in a container: [{name: code, mountPath: /code}].",
    )
    extra_init_containers: list[ExtraContainer] = Field(
        default_factory=list[ExtraContainer],
        description="Containers that run to their end before the trainer starts, as in a pod's spec. One without a "
        "securityContext gets the trainer's.",
    )
    sidecars: list[ExtraContainer] = Field(
        default_factory=list[ExtraContainer],
        description="Containers that run beside the trainer, as in a pod's spec. They start before it and end after "
        "it (restartPolicy Always among the init containers), so that no Job waits for them. One without a "
        "securityContext gets the trainer's.",
    )
    extra_objects: list[ExtraObject] = Field(
        default_factory=list[ExtraObject],
        description="Whole objects that are installed with the release, as they are: no templates in them.",
    )
    service_account: ServiceAccount = Field(default_factory=ServiceAccount, description="The pods' ServiceAccount.")
    pod_security: PodSecurity = Field(
        default_factory=PodSecurity,
        description="The security context, which meets the Pod Security Standard `restricted` but for user 0.",
    )
    network_policy: NetworkPolicy = Field(
        default_factory=NetworkPolicy, description="Who may reach the pods, and what they may reach."
    )
    pod_disruption_budget: PodDisruptionBudget = Field(
        default_factory=PodDisruptionBudget, description="Protection of the pods against eviction."
    )
    dashboard: Dashboard = Field(default_factory=Dashboard, description="How people reach Ray's dashboard.")
    pod_monitor: PodMonitor = Field(
        default_factory=PodMonitor, description="Metrics for Prometheus, by the operator that knows PodMonitors."
    )
    common_labels: Labels = Field(default_factory=dict[str, str], description="Labels for all objects and pods.")
    common_annotations: Annotations = Field(
        default_factory=dict[str, str], description="Annotations for all objects; pods have podAnnotations."
    )
    pod_labels: Labels = Field(
        default_factory=dict[str, str], description="Labels for the training pods, besides commonLabels."
    )
    pod_annotations: Annotations = Field(default_factory=dict[str, str], description="Annotations for the pods.")
