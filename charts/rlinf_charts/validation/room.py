"""Pods held against the node that they ask for: one that wants more than it has would stay Pending for ever."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from rlinf_charts.instances import Instance, instances
from rlinf_charts.pod_specs import instance_type, pod_specs
from rlinf_charts.validation.faults import Fault
from rlinf_charts.validation.quantities import parse_quantity

_MIB = 2**20


def room_faults(item: dict[str, Any]) -> Iterator[Fault]:
    """Requests of the object's pods beyond what a node of the selected instance type offers."""
    place = f"{item['kind']}/{item['metadata']['name']}"
    for path, pod in pod_specs(item):
        kind = instance_type(pod)
        if kind not in instances():
            continue
        wanted = _requests(pod)
        for resource, has in _offer(instances()[kind]).items():
            asked = wanted.get(resource, Fraction(0))
            if asked > has:
                yield Fault(
                    check="room",
                    places=(place,),
                    keys=(f"{path}.containers",),
                    message=f"a pod asks for {_amount(resource, asked)} {resource}, and a node of type {kind} has "
                    f"{_amount(resource, has)}: it would stay Pending for ever; ask for no more than that",
                )


def _offer(instance: Instance) -> dict[str, Fraction]:
    return {
        "cpu": Fraction(instance.cpu_millis, 1000),
        "memory": Fraction(instance.memory_mib * _MIB),
        "nvidia.com/gpu": Fraction(instance.gpus),
        "vpc.amazonaws.com/efa": Fraction(instance.efa),
        "hugepages-2Mi": Fraction(instance.hugepages2_mi * 2 * _MIB),
    }


def _requests(pod: dict[str, Any]) -> dict[str, Fraction]:
    """What the scheduler counts: the sum over containers, or the largest init container where that is more.

    An init container that is always restarted is a sidecar, and runs beside the others.
    """
    init = pod.get("initContainers", [])
    sidecars = [container for container in init if container.get("restartPolicy") == "Always"]
    together: dict[str, Fraction] = {}
    for container in [*pod["containers"], *sidecars]:
        for resource, amount in _container_requests(container).items():
            together[resource] = together.get(resource, Fraction(0)) + amount
    for container in init:
        for resource, amount in _container_requests(container).items():
            together[resource] = max(together.get(resource, Fraction(0)), amount)
    return together


def _container_requests(container: Mapping[str, Any]) -> dict[str, Fraction]:
    """A limit without a request is a request."""
    resources = container.get("resources", {})
    wanted = {**resources.get("limits", {}), **resources.get("requests", {})}
    return {resource: parse_quantity(amount) for resource, amount in wanted.items()}


def _amount(resource: str, amount: Fraction) -> str:
    if resource in ("memory", "hugepages-2Mi"):
        return f"{float(amount / _MIB):.0f}Mi"
    return f"{float(amount):g}"
