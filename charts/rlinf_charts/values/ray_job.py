"""`rayJob`: what mode `rayjob` adds, a job on a Ray cluster of its own or of another release."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.section import OPTIONAL_DNS_LABEL, Section


class RayJob(Section):
    """The RayJob of mode `rayjob`."""

    submission_mode: Literal["K8sJobMode", "HTTPMode", "SidecarMode"] = Field(
        default="K8sJobMode",
        description="Who submits the job. K8sJobMode: a pod of this image, whose log is the training's. HTTPMode: the "
        "operator itself. SidecarMode: a container that the operator adds to the head, without volumes and security "
        "context, which needs Ray in the image and is refused where Pod Security `restricted` is enforced.",
    )
    cluster_selector: str = Field(
        default="",
        description="Name of a RayCluster of this chart in the same namespace to run on. Empty: a cluster of its own. "
        "Pods, volumes, token and code are that cluster's; nodes, training and storage.runs describe this run on it.",
        pattern=OPTIONAL_DNS_LABEL,
        max_length=53,
    )
    shutdown_after_job_finishes: bool = Field(default=True, description="Delete the cluster when the job has ended.")
    ttl_seconds_after_finished: int = Field(
        default=0, description="Seconds after which it is deleted, once the job has ended.", ge=0, le=2147483647
    )
    active_deadline_seconds: int = Field(
        default=0, description="Seconds after which the job fails, whatever it does. 0: no limit.", ge=0, le=2147483647
    )
    backoff_limit: int = Field(
        default=0, description="How often a failed job is tried again, each time on a fresh cluster.", ge=0, le=1000
    )
