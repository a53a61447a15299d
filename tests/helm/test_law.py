"""The law of the kit: `helm template` of the written chart equals the plain rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given

from generated_values import values_of
from law import assert_law, examples
from rlinf_constructs.helm.schema import values_schema
from sample_chart import SampleValues
from tests_support import BothRenderings

GENERATED = values_of(values_schema(SampleValues, title=""))


@examples(60)
@given(values=GENERATED)
def test_plain_rendering_equals_helm_template(
    values: dict[str, Any], renderings_agree: BothRenderings, tmp_path: Path
) -> None:
    """Whatever the values, both renderings give the same objects, or refuse in the same words."""
    assert_law(values, renderings_agree, tmp_path)
