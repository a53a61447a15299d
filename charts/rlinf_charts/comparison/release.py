"""The objects of a release that is installed, as Helm has recorded them."""

from __future__ import annotations

import subprocess
from typing import Any

from rlinf_constructs.helm import Release, yaml_io


class ReleaseError(Exception):
    """Helm cannot give the release; the text says why, in Helm's words."""


def release_objects(release: Release) -> list[dict[str, Any]]:
    """All objects of the newest revision, tests and other hooks included.

    Raises:
        ReleaseError: when helm is missing, cannot reach the cluster, or knows no such release.
    """
    objects = [item for part in ("manifest", "hooks") for item in yaml_io.load_all(_helm_get(part, release))]
    return [item for item in objects if item is not None]


def _helm_get(part: str, release: Release) -> str:
    command = ["helm", "get", part, release.name, "--namespace", release.namespace]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ReleaseError("helm is not on PATH: install it to compare with a release") from error
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
