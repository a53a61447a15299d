"""Mode `job`: one pod a node, index 0 is the Ray head, and it ends when the training ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, IntegerLike, StringLike
from rlinf_constructs.platform.queue import suspension
from rlinf_constructs.training.pod import CONTAINER

COMPLETION_INDEX_LABEL = "batch.kubernetes.io/job-completion-index"


@dataclass(frozen=True, kw_only=True)
class TrainingJobProps:
    """Properties of a TrainingJob.

    Attributes:
        name: of the Job; pods' host names are NAME-0, NAME-1, ...
        labels: of the Job.
        nodes: number of nodes.
        backoff_limit: how many pods may fail.
        fail_on_exit_codes: of the bootstrap, after which no pod is started again.
        ttl_seconds_after_finished: after which the ended Job is deleted.
        active_deadline_seconds: after which the Job fails.
        suspend: whether it has no pods for now.
        pod: made by `training_pod`, with the restart policy Never and the headless Service as its subdomain.
    """

    name: StringLike
    labels: Mapping[str, Any]
    nodes: IntegerLike
    backoff_limit: IntegerLike
    fail_on_exit_codes: Sequence[int]
    ttl_seconds_after_finished: int | float | None = None
    active_deadline_seconds: int | float | None = None
    suspend: BooleanLike = False
    pod: k8s.PodTemplateSpec


class TrainingJob(Construct):
    """A gang of pods that start together and succeed with their head."""

    def __init__(self, scope: Construct, construct_id: str, props: TrainingJobProps) -> None:
        super().__init__(scope, construct_id)
        spec = k8s.JobSpec(
            completion_mode="Indexed",
            completions=helm.number(props.nodes),
            parallelism=helm.number(props.nodes),
            # One limit for all and none per index: without one of its nodes the gang cannot go on.
            backoff_limit=helm.number(props.backoff_limit),
            ttl_seconds_after_finished=props.ttl_seconds_after_finished,
            active_deadline_seconds=props.active_deadline_seconds,
            # The head ends with 0 when the training has.
            success_policy=k8s.SuccessPolicy(rules=[k8s.SuccessPolicyRule(succeeded_indexes="0")]),
            pod_failure_policy=_failure_policy(props.fail_on_exit_codes),
            template=props.pod,
        )
        k8s.KubeJob(
            self,
            "Job",
            metadata=k8s.ObjectMeta(name=helm.string(props.name), labels=dict(props.labels)),
            spec=helm.extend(spec, **suspension(props.suspend)),
        )


def _failure_policy(exit_codes: Sequence[int]) -> k8s.PodFailurePolicy:
    disruption = k8s.PodFailurePolicyOnPodConditionsPattern(type="DisruptionTarget", status="True")
    codes = k8s.PodFailurePolicyOnExitCodesRequirement(container_name=CONTAINER, operator="In", values=list(exit_codes))
    return k8s.PodFailurePolicy(
        rules=[
            # A drained or reclaimed node is nobody's fault.
            k8s.PodFailurePolicyRule(action="Ignore", on_pod_conditions=[disruption]),
            # What is wrong with the run stays wrong.
            k8s.PodFailurePolicyRule(action="FailJob", on_exit_codes=codes),
        ]
    )
