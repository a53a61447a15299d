"""Additions to all pods of a chart, whatever kind makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import cdk8s
from cdk8s_plus_35 import k8s


def add_container(objects: cdk8s.Chart, container: k8s.Container) -> None:
    """Add a container to every pod template in the chart: StatefulSets, Jobs, the groups of a RayCluster, ...

    A Pod of its own, such as a test, is left alone: a container that never ends would keep it from ending.

    Args:
        objects: the chart, with the workloads in it.
        container: the same for all pods; `helm.when` makes it depend on a value.
    """
    _add(objects, "containers", container)


def add_volume(objects: cdk8s.Chart, volume: k8s.Volume) -> None:
    """Add a volume to every pod template in the chart."""
    _add(objects, "volumes", volume)


def _add(objects: cdk8s.Chart, field: str, item: Any) -> None:
    for construct in objects.node.find_all():
        if isinstance(construct, cdk8s.ApiObject):
            for template in _pod_templates(construct.to_json()):
                construct.add_json_patch(cdk8s.JsonPatch.add(f"{template}/spec/{field}/-", item))


def _pod_templates(node: Any, pointer: str = "") -> Iterator[str]:
    """JSON pointers to all fields `template` that hold a pod."""
    if isinstance(node, list):
        for index, item in enumerate(cast("list[Any]", node)):
            yield from _pod_templates(item, f"{pointer}/{index}")
    elif isinstance(node, dict):
        for key, value in cast("dict[str, Any]", node).items():
            below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key == "template" and "containers" in value.get("spec", {}):
                yield below
            else:
                yield from _pod_templates(value, below)
