"""The law of the kit: `helm template` of the written chart equals the plain rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from generated_values import values_of
from rlinf_constructs.helm import yaml_io
from rlinf_constructs.helm.schema import values_schema
from sample_chart import SampleValues
from tests_support import BothRenderings

GENERATED = values_of(values_schema(SampleValues, title=""))


# Shrinking a failure by real helm would take minutes.
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.reuse, Phase.generate])
@given(values=GENERATED)
def test_plain_rendering_equals_helm_template(
    values: dict[str, Any], renderings_agree: BothRenderings, tmp_path: Path
) -> None:
    """Whatever the values, both renderings give the same objects, or refuse in the same words."""
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")

    assert yaml_io.load_file(file) == values
    renderings_agree(values, file)
