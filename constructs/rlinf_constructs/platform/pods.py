"""Additions to all pods of a chart, whatever kind makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import cdk8s
from cdk8s_plus_35 import k8s

from rlinf_constructs import helm


def add_sidecar(objects: cdk8s.Chart, container: k8s.Container) -> None:
    """Add a container that runs beside the others to every pod template: StatefulSets, Jobs, RayClusters, ...

    It starts before them and ends after them, so that no Job waits for it: an init container that is always restarted.
    A Pod of its own, such as a test, is left alone.

    Args:
        objects: the chart, with the workloads in it.
        container: the same for all pods; `helm.when` makes it depend on a value.
    """
    _add(objects, "initContainers", helm.extend(container, restartPolicy="Always"))


def add_volume(objects: cdk8s.Chart, volume: k8s.Volume) -> None:
    """Add a volume to every pod template in the chart."""
    _add(objects, "volumes", volume)


def _add(objects: cdk8s.Chart, field: str, item: Any) -> None:
    for construct in objects.node.find_all():
        if isinstance(construct, cdk8s.ApiObject):
            for pointer, spec in _pod_specs(construct.to_json()):
                at_the_end = (f"{pointer}/{field}/-", item) if field in spec else (f"{pointer}/{field}", [item])
                construct.add_json_patch(cdk8s.JsonPatch.add(*at_the_end))


def _pod_specs(node: Any, pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """The specs of all fields `template` that hold a pod, with their JSON pointers."""
    if isinstance(node, list):
        for index, item in enumerate(cast("list[Any]", node)):
            yield from _pod_specs(item, f"{pointer}/{index}")
    elif isinstance(node, dict):
        for key, value in cast("dict[str, Any]", node).items():
            below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key == "template" and "containers" in value.get("spec", {}):
                yield f"{below}/spec", value["spec"]
            else:
                yield from _pod_specs(value, below)
