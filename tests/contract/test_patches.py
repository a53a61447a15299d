"""The contract: the patches that values can switch off are those that there are."""

from __future__ import annotations

from typing import get_args

from rendered_objects import objects_of, variables_of
from rlinf_charts.chart import rlinf_chart
from rlinf_charts.values.training import PatchName
from rlinf_runtime.bootstrap.patches import registry
from rlinf_runtime.bootstrap.patches.verl.validation_videos import FOLDER_VARIABLE


def test_every_patch_can_be_switched_off_by_its_name() -> None:
    """And no other name is taken, so that a misspelt one is refused before anything is installed."""
    assert set(get_args(PatchName)) == set(registry.names())


def test_videos_go_to_the_folder_that_values_name() -> None:
    """By the variable that the patch reads in every worker; without a folder none is written."""
    chart = rlinf_chart()

    videos = variables_of(objects_of(chart, {"training": {"videos": "/runs/videos"}}))
    none = variables_of(objects_of(chart, {}))

    assert videos[FOLDER_VARIABLE] == "/runs/videos"
    assert FOLDER_VARIABLE not in none
