"""The sample chart, built once and written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlinf_constructs.helm import HelmChart
from sample_chart import make_chart
from tests_support import BothRenderings, both_renderings


@pytest.fixture(scope="session")
def sample() -> HelmChart:
    return make_chart()


@pytest.fixture(scope="session")
def written_sample(sample: HelmChart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    sample.write(folder)
    return folder


@pytest.fixture(scope="session")
def renderings_agree(sample: HelmChart, written_sample: Path) -> BothRenderings:
    """Renders by helm and by Python, and compares."""
    return both_renderings(sample, written_sample)
