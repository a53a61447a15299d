"""Rules of the modes raycluster and rayjob: what KubeRay's operator would refuse, or leave undone, later on."""

from __future__ import annotations

from rlinf_charts.names import FULLNAME, HAS_AUTOSCALER, IS_KUBERAY, ON_EXISTING_CLUSTER, OWN_TOKEN_KEY, values
from rlinf_charts.run import PODS
from rlinf_constructs.helm import Expression, Rule, call, fmt

_job = values.ray_job
_auth = values.ray.auth
_IS_RAY_JOB = values.mode.equals("rayjob")
_FROM_2_52 = r"^(2\.(5[2-9]|[6-9][0-9]|[0-9]{3,})|[3-9]|[1-9][0-9])\."


KUBERAY_1_5_CANNOT_GIVE_A_TOKEN = Rule(
    broken=_IS_RAY_JOB & values.kuberay.version.equals("1.5") & _auth.enabled,
    message=fmt(
        "ray.auth.enabled is true while kuberay.version is 1.5 and mode is rayjob: that operator asks Ray for the job "
        "without a token and is refused for ever; set ray.auth.enabled=false here and on the cluster, or install "
        "KubeRay 1.7 and set kuberay.version=1.7"
    ),
)

KUBERAY_WANTS_ITS_OWN_KEY = Rule(
    broken=IS_KUBERAY
    & values.kuberay.version.equals("1.7")
    & _auth.enabled
    & _auth.existing_secret.differs("")
    & _auth.key.differs(OWN_TOKEN_KEY),
    message=fmt(
        "ray.auth.key is ",
        _auth.key,
        f", but KubeRay takes the token from the key {OWN_TOKEN_KEY} of the Secret and no other: store it there, and "
        f"set ray.auth.key={OWN_TOKEN_KEY}",
    ),
)

THE_TOKEN_NEEDS_RAY_2_52 = Rule(
    broken=IS_KUBERAY & _auth.enabled & ~call("regexMatch", _FROM_2_52, values.kuberay.ray_version),
    message=fmt(
        "kuberay.rayVersion is ",
        values.kuberay.ray_version,
        ", but Ray asks for a token from 2.52.0 on: use an image with a newer Ray and set its version",
    ),
)

SUSPENDING_DELETES_THE_CLUSTER = Rule(
    broken=_IS_RAY_JOB & values.kuberay.suspend & ~_job.shutdown_after_job_finishes,
    message=fmt(
        "kuberay.suspend is true while rayJob.shutdownAfterJobFinishes is false: the operator suspends a job by "
        "deleting its cluster; set rayJob.shutdownAfterJobFinishes=true, or kuberay.suspend=false"
    ),
)

A_TIME_TO_LIVE_NEEDS_A_SHUTDOWN = Rule(
    broken=_IS_RAY_JOB & (_job.ttl_seconds_after_finished > 0) & ~_job.shutdown_after_job_finishes,
    message=fmt(
        "rayJob.ttlSecondsAfterFinished is ",
        _job.ttl_seconds_after_finished,
        " while rayJob.shutdownAfterJobFinishes is false: the time until the cluster is deleted needs a cluster that "
        "is; set rayJob.shutdownAfterJobFinishes=true, or rayJob.ttlSecondsAfterFinished=0",
    ),
)


def _not_on_existing(broken: Expression, key: str, value: Expression, reason: str, remedy: str) -> Rule:
    """What a job on a cluster that is there cannot have."""
    return Rule(
        broken=ON_EXISTING_CLUSTER & broken,
        message=fmt(
            f"{key} is ",
            value,
            " while rayJob.clusterSelector is ",
            _job.cluster_selector,
            f": {reason}; set {remedy}, or rayJob.clusterSelector=",
        ),
    )


ON_A_CLUSTER_THAT_IS_THERE = [
    _not_on_existing(
        values.kuberay.suspend,
        "kuberay.suspend",
        values.kuberay.suspend,
        "the operator suspends a job by deleting its cluster, and that one is not the job's",
        "kuberay.suspend=false",
    ),
    _not_on_existing(
        _job.backoff_limit > 0,
        "rayJob.backoffLimit",
        _job.backoff_limit,
        "each new try takes a fresh cluster, and that one is not the job's",
        "rayJob.backoffLimit=0",
    ),
    _not_on_existing(
        _job.ttl_seconds_after_finished > 0,
        "rayJob.ttlSecondsAfterFinished",
        _job.ttl_seconds_after_finished,
        "the cluster stays when the job has ended",
        "rayJob.ttlSecondsAfterFinished=0",
    ),
    _not_on_existing(
        _job.submission_mode.equals("SidecarMode"),
        "rayJob.submissionMode",
        _job.submission_mode,
        "the operator adds the sidecar to the head when it makes the cluster, and that one is there already",
        "rayJob.submissionMode=K8sJobMode",
    ),
    _not_on_existing(
        ~values.storage.runs.existing_claim & ~values.storage.checkpoints.volume,
        "storage.runs.existingClaim",
        fmt("empty"),
        "the run folder lies in the claim that the cluster's pods mount",
        "it to that claim",
    ),
    _not_on_existing(
        _auth.enabled & ~_auth.existing_secret,
        "ray.auth.existingSecret",
        fmt("empty"),
        "the token is the cluster's",
        "it to that cluster's Secret",
    ),
    _not_on_existing(
        _job.cluster_selector.equals(FULLNAME),
        "the name of this release's objects",
        FULLNAME,
        "a release with this selector makes no cluster to run on",
        "rayJob.clusterSelector to the cluster of another release",
    ),
    _not_on_existing(
        values.dashboard.ingress.enabled,
        "dashboard.ingress.enabled",
        values.dashboard.ingress.enabled,
        "the dashboard is the cluster's, and the release that made it makes its Ingress",
        "dashboard.ingress.enabled=false here",
    ),
    _not_on_existing(
        values.pod_monitor.enabled,
        "podMonitor.enabled",
        values.pod_monitor.enabled,
        "the metrics are those of the cluster's pods, and the release that made them makes their PodMonitor",
        "podMonitor.enabled=false here",
    ),
]

_autoscaler = values.kuberay.autoscaler
_MOST_WORKERS = PODS - 1


def _no_queue_with_an_autoscaler(key: str, queue: Expression, why: str) -> Rule:
    return Rule(
        broken=HAS_AUTOSCALER & queue,
        message=fmt(
            f"kuberay.autoscaler.enabled is true while {key} is ",
            queue,
            f": {why}; set kuberay.autoscaler.enabled=false, or {key}=",
        ),
    )


AUTOSCALER = [
    Rule(
        broken=HAS_AUTOSCALER & (_autoscaler.min_workers > _MOST_WORKERS),
        message=fmt(
            "kuberay.autoscaler.minWorkers is ",
            _autoscaler.min_workers,
            ", but nodes.count allows ",
            _MOST_WORKERS,
            " workers: that is the most",
        ),
    ),
    _no_queue_with_an_autoscaler(
        "scheduling.kueueQueue", values.scheduling.kueue_queue, "Kueue admits a cluster of a fixed size only"
    ),
    _no_queue_with_an_autoscaler(
        "scheduling.volcanoQueue", values.scheduling.volcano_queue, "a gang starts with all its pods, or not at all"
    ),
]

RULES = [
    KUBERAY_1_5_CANNOT_GIVE_A_TOKEN,
    KUBERAY_WANTS_ITS_OWN_KEY,
    THE_TOKEN_NEEDS_RAY_2_52,
    SUSPENDING_DELETES_THE_CLUSTER,
    A_TIME_TO_LIVE_NEEDS_A_SHUTDOWN,
    *ON_A_CLUSTER_THAT_IS_THERE,
    *AUTOSCALER,
]
