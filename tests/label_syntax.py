"""What the API server asks of labels and of annotations' keys, and no schema of Kubernetes says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_NAME = r"[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?"
_PREFIX = r"(?=.{1,253}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/"
_KEY = re.compile(f"({_PREFIX})?{_NAME}")
_VALUE = re.compile(f"({_NAME})?")
# Maps of labels, wherever they stand in an object.
_LABELS = ("labels", "matchLabels", "nodeSelector", "clusterSelector")


def label_faults(item: dict[str, Any]) -> list[str]:
    """The labels of an object, its pods and its selectors that the API server would refuse."""
    return [f"{item['kind']}/{item['metadata']['name']}: {fault}" for fault in _faults(item)]


def _faults(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for child in node:
            yield from _faults(child)
    if not isinstance(node, dict):
        return
    for name, child in node.items():
        if name in (*_LABELS, "annotations") and isinstance(child, dict):
            yield from (f"{name} has the key {key}" for key in child if not _KEY.fullmatch(key))
        if name in _LABELS and isinstance(child, dict):
            yield from (f"{name} has {key}: {value}" for key, value in child.items() if not _VALUE.fullmatch(value))
        yield from _faults(child)
