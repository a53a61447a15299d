"""The AWS instance types that the chart knows, from instances.yaml."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Mapping

import yaml
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Instance(BaseModel):
    """What one node of a type offers; see instances.yaml."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, frozen=True)

    gpu: str
    gpus: int
    gpu_memory_gib: int
    vcpus: int
    memory_mib: int
    cpu_millis: int
    efa: int
    hugepages2_mi: int


@functools.cache
def instances() -> Mapping[str, Instance]:
    """All known types by name, in the order of the file."""
    text = (importlib.resources.files("rlinf_charts") / "instances.yaml").read_text(encoding="utf-8")
    return {name: Instance.model_validate(row) for name, row in yaml.safe_load(text).items()}
