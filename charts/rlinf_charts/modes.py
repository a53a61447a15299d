"""The modes: one way each in which the same pods run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import cdk8s
from cdk8s_plus_35 import k8s

from rlinf_charts import names, placement
from rlinf_charts.names import values
from rlinf_charts.run import RAY_CPUS, RUN
from rlinf_charts.scheduling import workload_labels
from rlinf_charts.volumes import scratch_of_helpers
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression
from rlinf_constructs.platform.identity import account_token_mount, account_token_volume
from rlinf_constructs.platform.network import HeadlessService, HeadlessServiceProps
from rlinf_constructs.training import launch
from rlinf_constructs.training.indexed_job import COMPLETION_INDEX_LABEL, TrainingJob, TrainingJobProps
from rlinf_constructs.training.pod import (
    Rank,
    TrainingPodProps,
    autoscaler_container,
    ray_pod,
    submitter_pod,
    training_pod,
)
from rlinf_constructs.training.ray_cluster import (
    RayAutoscaler,
    RayClusterSpec,
    RayGroup,
    TrainingRayCluster,
    TrainingRayClusterProps,
)
from rlinf_constructs.training.ray_job import ExistingRayCluster, OwnRayCluster, TrainingRayJob, TrainingRayJobProps
from rlinf_constructs.training.stateful_set import POD_INDEX_LABEL, TrainingStatefulSet, TrainingStatefulSetProps

# The bootstrap's CONFIG, PREFLIGHT, RAY_AUTH and NO_UPDATES.
NO_USE_TO_TRY_AGAIN = (10, 11, 13, 18)

# `ray job submit` with its log; Ray's command line is all that it loads.
_SUBMITTER_REQUESTS = {"cpu": "100m", "memory": "256Mi"}
_SUBMITTER_LIMITS = {"memory": "1Gi"}

_ACCOUNT_TOKEN = "account-token"  # noqa: S105 - the name of a volume


def add_nodes_service(objects: cdk8s.Chart) -> None:
    """The Service that names the nodes in the modes without an operator."""
    service = HeadlessService(
        objects,
        "Nodes",
        HeadlessServiceProps(
            name=names.NODES_SERVICE, labels=helm.splice(names.LABELS), selector=helm.splice(names.SELECTOR_LABELS)
        ),
    )
    helm.when(~names.IS_KUBERAY, service)


def add_head_service(objects: cdk8s.Chart) -> None:
    """The Service that names the head of a Ray cluster.

    KubeRay's own one for a RayJob comes late, and selects a label app.kubernetes.io/name that our pods have otherwise.
    """
    service = HeadlessService(
        objects,
        "Head",
        HeadlessServiceProps(
            name=names.HEAD_SERVICE,
            labels=helm.splice(names.LABELS),
            selector={"ray.io/node-type": "head", **helm.splice(names.SELECTOR_LABELS)},
        ),
    )
    helm.when(names.IS_KUBERAY & ~names.ON_EXISTING_CLUSTER, service)


def add_stateful_set(objects: cdk8s.Chart, pod: TrainingPodProps) -> None:
    """Mode `statefulset`."""
    stateful_set = TrainingStatefulSet(
        objects,
        "Training",
        TrainingStatefulSetProps(
            name=names.FULLNAME,
            labels=workload_labels(),
            selector=helm.splice(names.SELECTOR_LABELS),
            service=names.NODES_SERVICE,
            replicas=values.nodes.count,
            pod=training_pod(replace(pod, rank=Rank(label=POD_INDEX_LABEL, stem=names.FULLNAME))),
        ),
    )
    helm.when(values.mode.equals("statefulset"), stateful_set)


def add_job(objects: cdk8s.Chart, pod: TrainingPodProps) -> None:
    """Mode `job`."""
    node = replace(
        pod,
        rank=Rank(label=COMPLETION_INDEX_LABEL, stem=names.JOB),
        subdomain=names.NODES_SERVICE,
        restart_policy="Never",
    )
    job = TrainingJob(
        objects,
        "Job",
        TrainingJobProps(
            name=names.JOB,
            labels=workload_labels(),
            nodes=values.nodes.count,
            backoff_limit=values.job.backoff_limit,
            fail_on_exit_codes=NO_USE_TO_TRY_AGAIN,
            ttl_seconds_after_finished=_unless_zero(values.job.ttl_seconds_after_finished),
            active_deadline_seconds=_unless_zero(values.job.active_deadline_seconds),
            suspend=values.job.suspend,
            pod=training_pod(node),
        ),
    )
    helm.when(values.mode.equals("job"), job)


@dataclass(frozen=True, kw_only=True)
class RayPods:
    """Pod templates of a Ray cluster.

    Attributes:
        node: a node of the training; the head, too, unless it stands beside them.
        separate_head: a head that takes no ranks, and needs nothing that they do.
    """

    node: Mapping[str, Any]
    separate_head: Mapping[str, Any]

    def annotated(self, annotations: Mapping[str, Any]) -> RayPods:
        """The same pods with further annotations."""
        return RayPods(
            node=_annotated(self.node, annotations), separate_head=_annotated(self.separate_head, annotations)
        )


def _annotated(pod: Mapping[str, Any], annotations: Mapping[str, Any]) -> dict[str, Any]:
    metadata = pod["metadata"]
    return {**pod, "metadata": {**metadata, "annotations": {**annotations, **metadata["annotations"]}}}


def volumes_of_others() -> list[k8s.Volume]:
    """Volumes of the containers that KubeRay's operator adds."""
    return [helm.when(names.HAS_AUTOSCALER, account_token_volume(_ACCOUNT_TOKEN))]


def ray_pods(pod: TrainingPodProps) -> RayPods:
    """The pods of both modes with a Ray cluster."""
    stop_seconds = values.training.deadlines.stop_seconds
    return RayPods(
        node=ray_pod(pod, job_stop_seconds=stop_seconds, preflight=values.preflight.enabled),
        separate_head=ray_pod(
            _separate_head(pod),
            job_stop_seconds=stop_seconds,
            shared_as=("headPod", "A head that only directs the nodes, whose Ray KubeRay's operator starts."),
        ),
    )


def add_ray_cluster(objects: cdk8s.Chart, pods: RayPods, pod: TrainingPodProps) -> None:
    """Mode `raycluster`, with a head that is one of the nodes and with one beside them."""
    for construct_id, condition, spec in _ray_clusters(pods, _autoscaler(pod)):
        cluster = TrainingRayCluster(
            objects,
            f"RayCluster{construct_id}",
            TrainingRayClusterProps(
                name=names.FULLNAME,
                labels=workload_labels(),
                cluster=spec,
                suspend=values.kuberay.suspend,
                # Without it the operator leaves pods with an old template alone.
                upgrade_strategy=helm.when(_HAS_1_7, {"type": "Recreate"}),
            ),
        )
        helm.when(values.mode.equals("raycluster") & condition, cluster)


def add_ray_job(objects: cdk8s.Chart, pods: RayPods, pod: TrainingPodProps) -> None:
    """Mode `rayjob`, on a cluster of its own and on one that is there."""
    # `exec`, for nobody in the pod reaps the orphan that Ray's own shell would leave, and Ray would wait for that.
    submit = f"exec sh {launch.SCRIPT} submit"
    submitter = _submitter_pod(pod)
    for construct_id, condition, spec in _ray_clusters(pods):
        own = OwnRayCluster(
            cluster=spec,
            shutdown_after_job_finishes=values.ray_job.shutdown_after_job_finishes,
            ttl_seconds_after_finished=_unless_zero(values.ray_job.ttl_seconds_after_finished),
            backoff_limit=_unless_zero(values.ray_job.backoff_limit),
            suspend=values.kuberay.suspend,
        )
        job = _ray_job(objects, f"RayJob{construct_id}", own, submit, submitter)
        helm.when(values.mode.equals("rayjob") & ~values.ray_job.cluster_selector & condition, job)
    there = ExistingRayCluster(name=values.ray_job.cluster_selector)
    # The launch folder over there is the other release's: this run travels in the command line.
    submit_this_run = helm.fmt(submit, " --run ", helm.call("b64enc", RUN))
    helm.when(names.ON_EXISTING_CLUSTER, _ray_job(objects, "RayJobOnCluster", there, submit_this_run, submitter))


_HAS_1_7 = values.kuberay.version.equals("1.7")


def _ray_job(
    objects: cdk8s.Chart,
    construct_id: str,
    cluster: OwnRayCluster | ExistingRayCluster,
    entrypoint: helm.StringLike,
    submitter: Mapping[str, Any],
) -> TrainingRayJob:
    mode = values.ray_job.submission_mode
    return TrainingRayJob(
        objects,
        construct_id,
        TrainingRayJobProps(
            name=names.FULLNAME,
            labels=workload_labels(),
            cluster=cluster,
            entrypoint=entrypoint,
            submission_mode=mode,
            submitter=helm.when(mode.equals("K8sJobMode"), submitter),
            active_deadline_seconds=_unless_zero(values.ray_job.active_deadline_seconds),
        ),
    )


def _submitter_pod(pod: TrainingPodProps) -> dict[str, Any]:
    submitter = replace(
        pod,
        labels=helm.splice(names.LABELS),
        annotations=helm.splice(values.pod_annotations),
        requests=_SUBMITTER_REQUESTS,
        limits=_SUBMITTER_LIMITS,
        scratch=scratch_of_helpers(),
        # The nodes' own rules may keep them apart, and this pod away from all of them.
        scheduling=replace(pod.scheduling, affinity=placement.affinity(), topology_spread_constraints=()),
    )
    return submitter_pod(submitter)


def _autoscaler(pod: TrainingPodProps) -> RayAutoscaler:
    autoscaler = values.kuberay.autoscaler
    return RayAutoscaler(
        enabled=autoscaler.enabled,
        min_workers=autoscaler.min_workers,
        idle_seconds=autoscaler.idle_seconds,
        container=autoscaler_container(
            replace(
                pod,
                # Keys of hubs and trackers are the trainer's.
                secret_variables=(),
                requests={"cpu": helm.string(autoscaler.cpu), "memory": helm.string(autoscaler.memory)},
                limits={"memory": helm.string(autoscaler.memory)},
            ),
            job_stop_seconds=values.training.deadlines.stop_seconds,
            mount=account_token_mount(_ACCOUNT_TOKEN),
        ),
    )


def _ray_clusters(
    pods: RayPods, autoscaler: RayAutoscaler | None = None
) -> list[tuple[str, Expression, RayClusterSpec]]:
    """The cluster with a head that is one of the nodes and with one beside them: name, condition and spec of each.

    A pod template is one or the other as a whole, so each kind of head has an object of its own.
    """
    workers = RayGroup(
        ray_start_params={
            "metrics-export-port": helm.string(values.ray.metrics_port),
            "num-cpus": helm.string(RAY_CPUS),
            **helm.splice(values.kuberay.workers.ray_start_params),
        },
        pod=pods.node,
    )
    is_separate, count = values.kuberay.head.separate, values.nodes.count
    return [
        ("", ~is_separate, _ray_cluster_spec(_head(pods.node, helm.string(RAY_CPUS)), workers, count - 1, autoscaler)),
        # Ray places no rank on a node without CPUs.
        ("SeparateHead", is_separate, _ray_cluster_spec(_head(pods.separate_head, "0"), workers, count, autoscaler)),
    ]


def _head(pod: Mapping[str, Any], num_cpus: str) -> RayGroup:
    return RayGroup(
        ray_start_params={
            "port": helm.string(values.ray.port),
            "dashboard-port": helm.string(values.ray.dashboard_port),
            "metrics-export-port": helm.string(values.ray.metrics_port),
            "num-cpus": num_cpus,
            **helm.splice(values.kuberay.head.ray_start_params),
        },
        pod=pod,
    )


def _ray_cluster_spec(
    head: RayGroup, workers: RayGroup, num_workers: Expression, autoscaler: RayAutoscaler | None
) -> RayClusterSpec:
    auth = {"mode": "token", "secretName": helm.string(names.TOKEN_SECRET)}
    return RayClusterSpec(
        ray_version=values.kuberay.ray_version,
        auth_options=helm.when(_HAS_1_7 & values.ray.auth.enabled, auth),
        head=head,
        workers=workers,
        num_workers=num_workers,
        autoscaler=autoscaler,
    )


def _separate_head(pod: TrainingPodProps) -> TrainingPodProps:
    head = values.kuberay.head
    return replace(
        pod,
        requests={"cpu": helm.string(head.cpu), "memory": helm.string(head.memory)},
        limits={"memory": helm.string(head.memory)},
        scratch=scratch_of_helpers(),
        scheduling=replace(
            pod.scheduling,
            node_selector=helm.splice(head.node_selector),
            tolerations=values.scheduling.tolerations,
            # Its node has no GPUs, and may not know the runtime that gives containers theirs.
            runtime_class_name="",
            affinity={},
            topology_spread_constraints=(),
        ),
    )


def _unless_zero(value: Expression) -> int | float:
    return helm.when(value > 0, helm.number(value))
