"""KubeRay's own schemas of its kinds, of both versions of the operator, where the machine has them."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from rlinf_constructs.helm import yaml_io

_CLUSTER_HOME = Path(os.environ.get("RLINF_CLUSTER_HOME", Path.home() / ".cache" / "rlinf-cluster"))


@functools.cache
def crd_schemas(version: str) -> dict[str, dict[str, Any]]:
    """The schemas by kind; none on machines without them.

    Args:
        version: 1.7, which lies beside the checkout (worktrees lie one folder deeper), or 1.5, which the cluster of
            the e2e tests installs.
    """
    read = {"1.5": _of_the_cluster, "1.7": _beside_the_checkout}[version]
    return {kind: strict(schema) for kind, schema in read()}


def ray_faults(item: dict[str, Any], version: str = "1.7") -> list[str]:
    """What the schema has against an object; nothing where there is no schema."""
    schema = crd_schemas(version).get(item["kind"])
    if schema is None:
        return []
    errors = jsonschema.Draft7Validator(schema).iter_errors(item)
    return [f"{item['kind']}/{item['metadata']['name']}: {error.json_path}: {error.message}" for error in errors]


def _beside_the_checkout() -> Iterator[tuple[str, dict[str, Any]]]:
    folders = [parent / "shared" / "facts" / "kuberay-1.7.0" for parent in Path(__file__).parents]
    folder = next((folder for folder in folders if folder.is_dir()), Path())
    for kind in ("RayCluster", "RayJob"):
        file = folder / f"{kind.lower()}s.json"
        if file.is_file():
            yield kind, json.loads(file.read_text(encoding="utf-8"))


def _of_the_cluster() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted((_CLUSTER_HOME / "crds").glob("*.yaml")):
        spec = yaml_io.load_file(file)["spec"]
        [schema] = [it["schema"]["openAPIV3Schema"] for it in spec["versions"] if it["name"] == "v1"] or [None]
        if schema is not None:
            yield spec["names"]["kind"], schema


def strict(schema: Any) -> Any:
    """The schema, with unknown fields refused: the cluster would drop them without a word."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    return {"additionalProperties": False, **closed} if isinstance(schema.get("properties"), dict) else closed
