"""Pods that Volcano schedules all at once or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cdk8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import IntegerLike, StringLike

VOLCANO = "volcano"
GROUP_ANNOTATION = "scheduling.k8s.io/group-name"


@dataclass(frozen=True, kw_only=True)
class PodGroupProps:
    """Properties of a PodGroup.

    Attributes:
        name: of the group; its pods carry it in GROUP_ANNOTATION.
        labels: of the group.
        queue: of Volcano.
        pods: how many pods must find a place at once.
        priority_class: of the group, which Volcano compares with other groups; empty for the cluster's default.
    """

    name: StringLike
    labels: Mapping[str, Any]
    queue: StringLike
    pods: IntegerLike
    priority_class: StringLike = ""


class PodGroup(Construct):
    """Volcano's group of the pods of a run."""

    def __init__(self, scope: Construct, construct_id: str, props: PodGroupProps) -> None:
        super().__init__(scope, construct_id)
        group = cdk8s.ApiObject(
            self,
            "PodGroup",
            api_version="scheduling.volcano.sh/v1beta1",
            kind="PodGroup",
            metadata=cdk8s.ApiObjectMetadata(name=helm.string(props.name), labels=dict(props.labels)),
        )
        spec = {
            "queue": helm.string(props.queue),
            "minMember": helm.number(props.pods),
            "priorityClassName": helm.unless_empty(props.priority_class),
        }
        given = {key: value for key, value in spec.items() if value is not None}
        group.add_json_patch(cdk8s.JsonPatch.add("/spec", given))
