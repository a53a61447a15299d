"""The chart, built once and written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from generated_values import values_of
from rlinf_charts.chart import rlinf_chart
from rlinf_constructs.helm import HelmChart


@pytest.fixture(scope="session")
def chart() -> HelmChart:
    return rlinf_chart()


@pytest.fixture(scope="session")
def written_chart(chart: HelmChart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chart")
    chart.write(folder)
    return folder


@pytest.fixture(scope="session")
def chart_values(chart: HelmChart) -> st.SearchStrategy[Any]:
    """Values that the schema allows; made once, since building the strategies takes longer than drawing from them."""
    return values_of(chart.schema())
