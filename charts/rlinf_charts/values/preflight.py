"""`preflight`: the checks of a node before the engine starts on it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.section import Section

CheckName = Literal[
    "engine",
    "configuration",
    "model",
    "platform",
    "packages",
    "space",
    "clock",
    "gpus",
    "cpus",
    "memory",
    "sharedMemory",
    "efa",
    "rendering",
    "simulator",
]


class Preflight(Section):
    """Whether a node has what the run needs; a pod that finds something wrong ends with exit code 11 and says what."""

    enabled: bool = Field(default=True, description="Check each node before the engine starts.")
    skip: list[CheckName] = Field(
        default_factory=list[CheckName],
        description="Checks that are left out, by the names that they have in the pod's log.",
    )
