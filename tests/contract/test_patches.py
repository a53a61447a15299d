"""The contract: the patches that values can switch off are those that there are."""

from __future__ import annotations

from typing import get_args

from rlinf_charts.values.training import PatchName
from rlinf_runtime.bootstrap.patches import registry


def test_every_patch_can_be_switched_off_by_its_name() -> None:
    """And no other name is taken, so that a misspelt one is refused before anything is installed."""
    assert set(get_args(PatchName)) == set(registry.names())
