"""The schema of PodMonitors: crds/podmonitors.json, without descriptions, of prometheus-operator 0.93 (Apache-2.0)."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema

from ray_crds import strict

_FOLDER = Path(__file__).parent / "crds"


def monitoring_faults(item: dict[str, Any]) -> list[str]:
    """What the schema has against an object."""
    errors = jsonschema.Draft7Validator(_schema(f"{item['kind'].lower()}s.json")).iter_errors(item)
    return [f"{item['kind']}/{item['metadata']['name']}: {error.json_path}: {error.message}" for error in errors]


@functools.cache
def _schema(name: str) -> dict[str, Any]:
    return strict(json.loads((_FOLDER / name).read_text(encoding="utf-8")))
