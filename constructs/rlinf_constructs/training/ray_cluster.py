"""Mode `raycluster`: a Ray cluster that KubeRay's operator starts, for jobs to come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, Expression, IntegerLike, StringLike
from rlinf_constructs.platform.queue import suspension
from rlinf_constructs.training.ray_object import add_ray_object


@dataclass(frozen=True, kw_only=True)
class RayGroup:
    """Pods of one kind in a Ray cluster.

    Attributes:
        ray_start_params: options of `ray start` without the dashes.
        pod: made by `ray_pod`.
    """

    ray_start_params: Mapping[str, Any]
    pod: Mapping[str, Any]

    def spec(self) -> dict[str, Any]:
        """The fields that head and worker groups share."""
        return {"rayStartParams": dict(self.ray_start_params), "template": dict(self.pod)}


@dataclass(frozen=True, kw_only=True)
class RayAutoscaler:
    """Ray's autoscaler, which the operator runs beside the head.

    Attributes:
        enabled: whether there is one.
        min_workers: workers that stay without work.
        idle_seconds: after which the others go.
        container: fields of its container, made by `autoscaler_container`.
    """

    enabled: Expression
    min_workers: IntegerLike
    idle_seconds: IntegerLike
    container: Mapping[str, Any]

    def spec(self) -> dict[str, Any]:
        """The fields of a cluster with it; none where there is none."""
        # v2, for only it knows how long each node was idle.
        options = {"version": "v2", "idleTimeoutSeconds": helm.number(self.idle_seconds), **self.container}
        return {
            "enableInTreeAutoscaling": helm.when(self.enabled, helm.boolean(self.enabled)),
            "autoscalerOptions": helm.when(
                self.enabled, helm.shared("autoscaler", options, about="Ray's autoscaler, beside the head.")
            ),
        }

    def sizes(self, most: IntegerLike) -> dict[str, Any]:
        """The sizes of the worker group; the number of replicas is the autoscaler's."""
        return {
            "replicas": helm.when(~self.enabled, helm.number(most)),
            "minReplicas": helm.number(helm.conditional(self.enabled, self.min_workers, most)),
            "maxReplicas": helm.number(most),
        }


@dataclass(frozen=True, kw_only=True)
class RayClusterSpec:
    """The cluster of a RayCluster, and of a RayJob that makes its own.

    Attributes:
        ray_version: in the image.
        auth_options: how Ray authenticates, for an operator that knows; empty for others.
        head: the head.
        workers: its workers.
        num_workers: how many; the most with an autoscaler.
        autoscaler: that adds and removes workers; None: their number is fixed.
    """

    ray_version: StringLike
    auth_options: Mapping[str, Any]
    head: RayGroup
    workers: RayGroup
    num_workers: IntegerLike
    autoscaler: RayAutoscaler | None = None

    def spec(self) -> dict[str, Any]:
        """The spec, untyped."""
        count = helm.number(self.num_workers)
        scaling, sizes = {}, {"replicas": count, "minReplicas": count, "maxReplicas": count}
        if self.autoscaler is not None:
            scaling, sizes = self.autoscaler.spec(), self.autoscaler.sizes(self.num_workers)
        return {
            **scaling,
            "rayVersion": helm.string(self.ray_version),
            "authOptions": dict(self.auth_options),
            "headGroupSpec": self.head.spec(),
            # The operator writes an empty scaleStrategy when there is none, becomes the list's owner by that, and
            # `helm upgrade` would fail with a conflict.
            "workerGroupSpecs": [{"groupName": "workers", **sizes, "scaleStrategy": {}, **self.workers.spec()}],
        }


@dataclass(frozen=True, kw_only=True)
class TrainingRayClusterProps:
    """Properties of a TrainingRayCluster.

    Attributes:
        name: of the RayCluster; its pods' names begin with it.
        labels: of the RayCluster.
        cluster: what it is made of.
        suspend: whether it has no pods for now.
        upgrade_strategy: what follows on a changed pod template, for an operator that knows; empty for others.
    """

    name: StringLike
    labels: Mapping[str, Any]
    cluster: RayClusterSpec
    suspend: BooleanLike
    upgrade_strategy: Mapping[str, Any]


class TrainingRayCluster(Construct):
    """A cluster that waits for jobs."""

    def __init__(self, scope: Construct, construct_id: str, props: TrainingRayClusterProps) -> None:
        super().__init__(scope, construct_id)
        spec = {
            **props.cluster.spec(),
            **suspension(props.suspend),
            "upgradeStrategy": dict(props.upgrade_strategy),
        }
        add_ray_object(self, kind="RayCluster", name=props.name, labels=props.labels, spec=spec)
