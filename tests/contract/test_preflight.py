"""The contract: the checks that values can leave out are those that the bootstrap has."""

from __future__ import annotations

from typing import get_args

from rlinf_charts.values.preflight import CheckName
from rlinf_runtime.bootstrap.preflight import checks


def test_each_check_can_be_left_out_by_its_name() -> None:
    """And no name stands for nothing."""
    assert set(get_args(CheckName)) == set(checks.ALL)
