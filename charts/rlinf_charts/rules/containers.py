"""Rules on the containers that users add: each has a name of its own, and a sidecar runs as long as the pod."""

from __future__ import annotations

from typing import Any

from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each
from rlinf_constructs.training.pod import CONTAINER, PREFLIGHT_CONTAINER

# KubeRay adds the last three.
_CONTAINERS = (CONTAINER, PREFLIGHT_CONTAINER, "autoscaler", "wait-gcs-ready", "ray-job-submitter")


def _container_name(place: str) -> Any:
    def rule(index: Expression, container: Any) -> Rule:
        return Rule(
            broken=call("regexMatch", f"^({'|'.join(_CONTAINERS)})$", container.name),
            message=fmt(
                f"{place}.",
                index,
                ".name is ",
                container.name,
                f", and a pod has {', '.join(_CONTAINERS)} already: take another name, such as extra-",
                container.name,
            ),
        )

    return rule


def _container_of_an_earlier(place: str, containers: Expression) -> Rule:
    """Two containers of one list."""

    def rule(index: Expression, container: Any) -> Rule:
        return for_each(
            containers,
            lambda earlier, other: _same_name(
                fmt(f"{place}.", index), container, fmt(f"{place}.", earlier), other, earlier < index
            ),
            name="other",
            index="earlier",
        )

    return for_each(containers, rule, name="container")


def _sidecar_of_an_init_container(index: Expression, container: Any) -> Rule:
    return for_each(
        values.extra_init_containers,
        lambda earlier, other: _same_name(
            fmt("sidecars.", index), container, fmt("extraInitContainers.", earlier), other, helm.Literal(True)
        ),
        name="other",
        index="earlier",
    )


def _same_name(place: Expression, container: Any, other_place: Expression, other: Any, among: Expression) -> Rule:
    return Rule(
        broken=among & other.name.equals(container.name),
        message=fmt(
            place,
            ".name is ",
            container.name,
            ", and so is ",
            other_place,
            ": each container of a pod has a name of its own; rename or remove one of them",
        ),
    )


def _no_restart_policy(index: Expression, container: Expression) -> Rule:
    return Rule(
        broken=call("hasKey", container, "restartPolicy"),
        message=fmt(
            "sidecars.",
            index,
            ".restartPolicy is set, but a sidecar is always restarted: remove it, or put a container that ends into "
            "extraInitContainers",
        ),
    )


RULES = [
    for_each(values.extra_init_containers, _container_name("extraInitContainers"), name="container"),
    for_each(values.sidecars, _container_name("sidecars"), name="container"),
    _container_of_an_earlier("extraInitContainers", values.extra_init_containers),
    _container_of_an_earlier("sidecars", values.sidecars),
    for_each(values.sidecars, _sidecar_of_an_init_container, name="container"),
    for_each(values.sidecars, _no_restart_policy, name="container"),
]
