"""The chart, built once and written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlinf_charts.chart import rlinf_chart
from rlinf_constructs.helm import HelmChart
from tests_support import BothRenderings, both_renderings


@pytest.fixture(scope="session")
def chart() -> HelmChart:
    return rlinf_chart()


@pytest.fixture(scope="session")
def written_chart(chart: HelmChart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chart")
    chart.write(folder)
    return folder


@pytest.fixture(scope="session")
def renderings_agree(chart: HelmChart, written_chart: Path) -> BothRenderings:
    """Renders by helm and by Python, and compares."""
    return both_renderings(chart, written_chart)
