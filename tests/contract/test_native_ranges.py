"""The contract: what the chart lets a key of the native engine be, the trainer takes, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest

from rlinf_charts.chart import rlinf_chart
from rlinf_constructs.helm import HelmChart, Release, ValuesError
from rlinf_runtime.trainer.config.load import config_keys, load_config
from rlinf_runtime.trainer.errors import ConfigError

# What follows from the cluster is not the user's to get wrong.
DERIVED = {"trainer.nnodes", "trainer.n_gpus_per_node"}
NUMBERS = {key for key, kind in config_keys().items() if kind in (int, float)} - DERIVED


@pytest.fixture(scope="module")
def chart() -> HelmChart:
    return rlinf_chart()


def nested(key: str, value: float) -> dict[str, Any]:
    """`a.b` as `{a: {b: value}}`."""
    tree: Any = value
    for part in reversed(key.split(".")):
        tree = {part: tree}
    return tree


def chart_takes(chart: HelmChart, key: str, value: float) -> bool:
    try:
        chart.check(chart.environment({"training": {"hydra": nested(key, value)}}, Release(name="rel")))
    except ValuesError:
        return False
    return True


def trainer_takes(key: str, value: float) -> bool:
    try:
        load_config([f"{key}={value}"])
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize("key", sorted(NUMBERS))
def test_chart_and_trainer_allow_the_same_numbers(key: str, chart: HelmChart) -> None:
    """At the edges of ranges, of both signs, and between."""
    edges = (-2, -1, 0, 1, 2, 0.5, 1.5)
    values = [value for value in edges if config_keys()[key] is float or isinstance(value, int)]

    assert {value: chart_takes(chart, key, value) for value in values} == {
        value: trainer_takes(key, value) for value in values
    }
