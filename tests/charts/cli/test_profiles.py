"""`rlinf-eks profiles`: the table of instances."""

from __future__ import annotations

import json

from command_line import rlinf_eks
from rlinf_charts.instances import instances


def test_the_table_has_a_line_for_each_type() -> None:
    """With what pods can have of a node."""
    lines = rlinf_eks("profiles").stdout.splitlines()
    assert len(lines) == 1 + len(instances())
    [row] = [line.split() for line in lines if line.startswith("p5.48xlarge")]
    assert row == ["p5.48xlarge", "8", "H100", "80", "GiB", "191.45", "1893", "GiB", "32", "5128"]


def test_json_has_the_keys_of_the_file() -> None:
    """So that a program can take it for the file."""
    profiles = json.loads(rlinf_eks("profiles", "--json").stdout)
    assert profiles["p5e.48xlarge"] == {
        "gpu": "H200",
        "gpus": 8,
        "gpuMemoryGib": 141,
        "vcpus": 192,
        "memoryMib": 1938410,
        "cpuMillis": 191450,
        "efa": 32,
        "hugepages2Mi": 5128,
    }
