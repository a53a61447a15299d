"""KubeRay 1.7's own schemas of its kinds, where the folder with them is there."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema

# Beside the checkout, on machines that have it; worktrees lie one folder deeper.
_FOLDERS = [parent / "shared" / "facts" / "kuberay-1.7.0" for parent in Path(__file__).parents]
SCHEMAS = next((folder for folder in _FOLDERS if folder.is_dir()), None)


def ray_faults(item: dict[str, Any]) -> list[str]:
    """What the schema has against an object; nothing where there is no schema."""
    if SCHEMAS is None:
        return []
    errors = jsonschema.Draft7Validator(_schema(SCHEMAS / f"{item['kind'].lower()}s.json")).iter_errors(item)
    return [f"{item['kind']}/{item['metadata']['name']}: {error.json_path}: {error.message}" for error in errors]


@functools.cache
def _schema(file: Path) -> dict[str, Any]:
    return strict(json.loads(file.read_text(encoding="utf-8")))


def strict(schema: Any) -> Any:
    """The schema, with unknown fields refused: the cluster would drop them without a word."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    return {"additionalProperties": False, **closed} if isinstance(schema.get("properties"), dict) else closed
