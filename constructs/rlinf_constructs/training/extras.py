"""What a user adds to the training pods beside the chart's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import Expression

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Extras:
    """Additions to a pod: typed items, or a list expression of free-form ones.

    Attributes:
        env_from: sources of variables of the trainer.
        volumes: of the pod.
        volume_mounts: of the trainer.
        init_containers: that run one after the other before the trainer; nodes have them, helper pods have not.
        sidecars: that run beside the trainer, on nodes only. They start before it and end after it, and no Job waits
            for them: each is an init container that is always restarted.
    """

    env_from: Sequence[k8s.EnvFromSource] | Expression = ()
    volumes: Sequence[k8s.Volume] | Expression = ()
    volume_mounts: Sequence[k8s.VolumeMount] | Expression = ()
    init_containers: Sequence[k8s.Container] | Expression = ()
    sidecars: Sequence[k8s.Container] | Expression = ()


def env_from(extras: Extras) -> list[k8s.EnvFromSource]:
    """Sources of variables."""
    return _items(extras.env_from, k8s.EnvFromSource(prefix=""))


def volumes(extras: Extras) -> list[k8s.Volume]:
    """Volumes of the pod."""
    return _items(extras.volumes, k8s.Volume(name=""))


def volume_mounts(extras: Extras) -> list[k8s.VolumeMount]:
    """Mounts of the trainer."""
    return _items(extras.volume_mounts, k8s.VolumeMount(name="", mount_path=""))


def _items(items: Sequence[Item] | Expression, placeholder: Item) -> list[Item]:
    return [helm.all_of(items, placeholder)] if isinstance(items, Expression) else list(items)


def init_containers(extras: Extras, *, security_context: k8s.SecurityContext) -> list[k8s.Container]:
    """Init containers, and after them the sidecars, so that these find what those have made.

    Args:
        extras: of the pod.
        security_context: of free-form containers that bring none.
    """
    return [
        *_containers(extras.init_containers, "container", security_context),
        *_containers(extras.sidecars, "sidecar", security_context, restart_policy="Always"),
    ]


def _containers(
    containers: Sequence[k8s.Container] | Expression,
    name: str,
    security_context: k8s.SecurityContext,
    restart_policy: str | None = None,
) -> list[k8s.Container]:
    if not isinstance(containers, Expression):
        fields = {} if restart_policy is None else {"restartPolicy": restart_policy}
        return [helm.extend(container, **fields) for container in containers]

    def free_form(container: Any) -> k8s.Container:
        brings_none = ~helm.call("hasKey", container, "securityContext")
        typed = k8s.Container(
            name=helm.string(container.name),
            restart_policy=restart_policy,
            security_context=helm.when(brings_none, security_context),
        )
        ours = ["name"] if restart_policy is None else ["name", "restartPolicy"]
        return helm.extend(typed, **helm.splice(helm.call("omit", container, *ours)))

    return [helm.each(containers, free_form, name=name)]
