"""Mode `rayjob`: a job that KubeRay's operator submits to a Ray cluster of its own, or to one that is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, StringLike
from rlinf_constructs.platform.queue import suspension
from rlinf_constructs.training.ray_cluster import RayClusterSpec
from rlinf_constructs.training.ray_object import add_ray_object


@dataclass(frozen=True, kw_only=True)
class OwnRayCluster:
    """A cluster that lives as long as the job.

    Attributes:
        cluster: what it is made of.
        shutdown_after_job_finishes: whether it is deleted then.
        ttl_seconds_after_finished: after which it is.
        backoff_limit: how often a failed job is tried again on a fresh cluster.
        suspend: whether there is no cluster for now.
    """

    cluster: RayClusterSpec
    shutdown_after_job_finishes: BooleanLike
    ttl_seconds_after_finished: int | float | None = None
    backoff_limit: int | float | None = None
    suspend: BooleanLike = False

    def spec(self) -> dict[str, Any]:
        """The fields of a RayJob with a cluster of its own."""
        return {
            "rayClusterSpec": self.cluster.spec(),
            "shutdownAfterJobFinishes": helm.boolean(self.shutdown_after_job_finishes),
            "ttlSecondsAfterFinished": self.ttl_seconds_after_finished,
            "backoffLimit": self.backoff_limit,
            **suspension(self.suspend),
        }


@dataclass(frozen=True, kw_only=True)
class ExistingRayCluster:
    """A cluster that is there and stays.

    Attributes:
        name: of the RayCluster, in the same namespace.
    """

    name: StringLike

    def spec(self) -> dict[str, Any]:
        """The fields of a RayJob on a cluster that is there."""
        return {"clusterSelector": {"ray.io/cluster": helm.string(self.name)}}


@dataclass(frozen=True, kw_only=True)
class TrainingRayJobProps:
    """Properties of a TrainingRayJob.

    Attributes:
        name: of the RayJob, and of the submitter's Job.
        labels: of the RayJob.
        cluster: where the job runs.
        entrypoint: what it runs there, on the head.
        submission_mode: K8sJobMode, HTTPMode or SidecarMode.
        submitter: made by `submitter_pod`, for K8sJobMode.
        active_deadline_seconds: after which the job fails.
    """

    name: StringLike
    labels: Mapping[str, Any]
    cluster: OwnRayCluster | ExistingRayCluster
    entrypoint: StringLike
    submission_mode: StringLike
    submitter: Mapping[str, Any] | None = None
    active_deadline_seconds: int | float | None = None


class TrainingRayJob(Construct):
    """A training that is submitted once. The operator leaves a running job alone when its spec changes."""

    def __init__(self, scope: Construct, construct_id: str, props: TrainingRayJobProps) -> None:
        super().__init__(scope, construct_id)
        spec = {
            "entrypoint": helm.string(props.entrypoint),
            "submissionMode": helm.string(props.submission_mode),
            "submitterPodTemplate": props.submitter,
            "activeDeadlineSeconds": props.active_deadline_seconds,
            **props.cluster.spec(),
        }
        set_fields = {key: value for key, value in spec.items() if value is not None}
        add_ray_object(self, kind="RayJob", name=props.name, labels=props.labels, spec=set_fields)
