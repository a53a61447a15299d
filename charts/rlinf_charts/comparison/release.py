"""The objects of a release that is installed, as Helm has recorded them."""

from __future__ import annotations

from typing import Any

from rlinf_charts.helm_client import helm
from rlinf_constructs.helm import Release, yaml_io


def release_objects(release: Release) -> list[dict[str, Any]]:
    """All objects of the newest revision, tests and other hooks included.

    Raises:
        HelmError: when helm is missing, cannot reach the cluster, or knows no such release.
    """
    objects = [item for part in ("manifest", "hooks") for item in yaml_io.load_all(_recorded(part, release))]
    return [item for item in objects if item is not None]


def _recorded(part: str, release: Release) -> str:
    return helm("get", part, release.name, "--namespace", release.namespace)
