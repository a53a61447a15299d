"""The law of the kit: `helm template` of the written chart equals the plain rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlinf_constructs.helm import HelmChart, yaml_io
from tests_support import assert_both_renderings_agree


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_plain_rendering_equals_helm_template(
    data: st.DataObject, sample: HelmChart, sample_values: st.SearchStrategy[Any], written_sample: Path, tmp_path: Path
) -> None:
    """Whatever the values, both renderings give the same objects, or refuse in the same words."""
    values = data.draw(sample_values)
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")

    assert yaml_io.load_file(file) == values
    assert_both_renderings_agree(sample, written_sample, values, file)
