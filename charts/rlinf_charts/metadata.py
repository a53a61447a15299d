"""Chart.yaml, with what registries of charts show of it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from rlinf_charts.variant import CHART_NAME, Variant
from rlinf_charts.version import VERSION
from rlinf_constructs.helm import yaml_io

# Knows the success policy of a Job, without which the API server refuses the object; until it is on by default, from
# 1.31, a Job ends with the last of its pods, which follow the head. Nothing here is newer.
OLDEST_KUBERNETES = (1, 30)

_LINKS = [
    {"name": "Ray", "url": "https://docs.ray.io"},
    {"name": "KubeRay", "url": "https://github.com/ray-project/kuberay"},
    {"name": "SimpleVLA-RL (engine verl)", "url": "https://github.com/PRIME-RL/SimpleVLA-RL"},
    {"name": "RLinf", "url": "https://github.com/RLinf/RLinf"},
]

# Of the engines, besides the chart's own, which has no public address yet; nor is there one for `home`.
_SOURCES = ["https://github.com/PRIME-RL/SimpleVLA-RL", "https://github.com/RLinf/RLinf"]


def metadata(variant: Variant) -> dict[str, Any]:
    """The content of Chart.yaml. A variant is maintained by the team that makes it, which it does not name."""
    ours = {"maintainers": [{"name": "The authors of rlinf-eks"}]} if variant.name == CHART_NAME else {}
    return {
        "apiVersion": "v2",
        "name": variant.name,
        "description": "Reinforcement-learning training of vision-language-action robot policies on Ray.",
        "type": "application",
        "version": variant.version,
        "appVersion": VERSION,
        "kubeVersion": f">={'.'.join(map(str, OLDEST_KUBERNETES))}.0-0",
        "keywords": ["reinforcement-learning", "vision-language-action", "robotics", "ray", "grpo", "fsdp"],
        "sources": _SOURCES,
        **ours,
        "icon": _icon(),
        # https://artifacthub.io/docs/topics/annotations/helm/
        "annotations": {
            "artifacthub.io/category": "ai-machine-learning",
            "artifacthub.io/license": "Apache-2.0",
            "artifacthub.io/links": yaml_io.dump(_LINKS),
        },
    }


def _icon() -> str:
    """The drawing itself, so that nothing is fetched to show it."""
    drawing = (Path(__file__).parent / "icon.svg").read_bytes()
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing).decode()}"
