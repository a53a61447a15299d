"""Objects of KubeRay's kinds, which have no typed struct in cdk8s."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cdk8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import StringLike


def add_ray_object(
    scope: Construct, *, kind: str, name: StringLike, labels: Mapping[str, Any], spec: Mapping[str, Any]
) -> cdk8s.ApiObject:
    """An object of ray.io/v1 with an untyped spec."""
    metadata = cdk8s.ApiObjectMetadata(name=helm.string(name), labels=dict(labels))
    item = cdk8s.ApiObject(scope, kind, api_version="ray.io/v1", kind=kind, metadata=metadata)
    item.add_json_patch(cdk8s.JsonPatch.add("/spec", dict(spec)))
    return item
