"""The law on our chart: plain rendering equals real `helm template`, on shipped and on generated values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlinf_constructs.helm import HelmChart, yaml_io
from tests_support import ROOT, assert_both_renderings_agree, kubernetes_faults

VALUES_FILES = sorted((ROOT / "values").glob("*.yaml"))


@pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.stem)
def test_shipped_values_render_alike(file: Path, chart: HelmChart, written_chart: Path) -> None:
    """Each values file gives the same objects by helm and by Python, and Kubernetes would take them."""
    objects = assert_both_renderings_agree(chart, written_chart, yaml_io.load_file(file), file)

    assert objects is not None
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_generated_values_render_alike(
    data: st.DataObject, chart: HelmChart, chart_values: st.SearchStrategy[Any], written_chart: Path, tmp_path: Path
) -> None:
    """Whatever values the schema allows, both renderings give the same objects or refuse in the same words."""
    values = data.draw(chart_values)
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")

    assert yaml_io.load_file(file) == values
    assert_both_renderings_agree(chart, written_chart, values, file)
