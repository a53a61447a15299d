"""Pods in Kubernetes objects of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast


def pod_specs(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every pod's spec in an object, wherever its kind keeps it."""
    if isinstance(node, dict):
        mapping = cast("dict[str, Any]", node)
        if "containers" in mapping:
            yield path, mapping
        for key, value in mapping.items():
            yield from pod_specs(value, f"{path}.{key}" if path else key)
    elif isinstance(node, list):
        for index, value in enumerate(cast("list[Any]", node)):
            yield from pod_specs(value, f"{path}.{index}")


def instance_type(pod: dict[str, Any]) -> str:
    """The type of node that a pod's spec selects, empty when it selects none."""
    return str(pod.get("nodeSelector", {}).get("node.kubernetes.io/instance-type", ""))
