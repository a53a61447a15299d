"""For the whole suite: constructs run on the Node from PyPI; what tests must share they share in one worker."""

from __future__ import annotations

import os

import hypothesis
import pytest

from rlinf_constructs.node import use_packaged_node

use_packaged_node()

# The machines are shared, and first calls load kernels and schemas: how long an example takes says nothing.
# In CI the examples are the same at each run of the same code; elsewhere they differ.
hypothesis.settings.register_profile("ours", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("ours")

# By fixture, the first that a test uses: pods of a Ray have addresses that are theirs, and a server is started once.
_GROUPS = {"start_pod": "ray", "mlflow_process": "mlflow", "registry": "registry"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share something in one of the workers of pytest-xdist."""
    for item in items:
        group = next((it for fixture, it in _GROUPS.items() if fixture in getattr(item, "fixturenames", ())), None)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))
