"""Who we are to a registry: what `helm registry login` has kept, or docker's login where helm has none."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rlinf_charts.helm_client import HelmError, helm


def basic_credentials(host: str) -> str | None:
    """base64 of `user:password` for a registry, None when nobody has logged in."""
    for config in _configs():
        inline = config.get("auths", {}).get(host, {}).get("auth")
        helper = config.get("credHelpers", {}).get(host) or config.get("credsStore")
        found = inline or (_from_helper(helper, host) if helper else None)
        if found:
            return found
    return None


def _configs() -> Iterator[dict[str, Any]]:
    for file in (*_helm_config(), Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker") / "config.json"):
        if file.is_file():
            try:
                yield json.loads(file.read_text(encoding="utf-8"))
            except ValueError as error:
                raise HelmError(f"{file} is no JSON, as a login makes it: {error}") from error


def _helm_config() -> list[Path]:
    """Helm knows where it keeps its logins; without helm there are none of it."""
    if shutil.which("helm") is None:
        return []
    return [Path(helm("env", "HELM_REGISTRY_CONFIG").strip())]


def _from_helper(name: str, host: str) -> str | None:
    """Ask a credential helper such as `ecr-login`, by docker's protocol; one that has nothing fails."""
    command = [f"docker-credential-{name}", "get"]
    try:
        done = subprocess.run(command, input=host, capture_output=True, text=True, check=False, timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    found = json.loads(done.stdout)
    return base64.b64encode(f"{found['Username']}:{found['Secret']}".encode()).decode()
