"""What tests of several packages share: running helm, and comparing objects."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def helm_template(
    chart: Path, *files: Path, release: str = "rel", namespace: str = "default", options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the real `helm template`."""
    command = ["helm", "template", release, str(chart), "--namespace", namespace, *options]
    for file in files:
        command += ["--values", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def objects_by_name(objects: Iterable[Any]) -> dict[tuple[str, str], Any]:
    """Objects by kind and name."""
    return {(item["kind"], item["metadata"]["name"]): item for item in objects if item is not None}
