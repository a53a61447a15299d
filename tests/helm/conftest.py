"""The sample chart, built once and written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from generated_values import values_of
from rlinf_constructs.helm import HelmChart
from sample_chart import make_chart


@pytest.fixture(scope="session")
def sample() -> HelmChart:
    return make_chart()


@pytest.fixture(scope="session")
def written_sample(sample: HelmChart, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    sample.write(folder)
    return folder


@pytest.fixture(scope="session")
def sample_values(sample: HelmChart) -> st.SearchStrategy[Any]:
    """Values that the schema allows; made once, since building the strategies takes longer than drawing from them."""
    return values_of(sample.schema())
