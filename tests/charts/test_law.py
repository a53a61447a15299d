"""The law on our chart: plain rendering equals real `helm template`, on shipped and on generated values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from generated_values import values_of
from rlinf_charts.values import RlinfValues, hydra
from rlinf_constructs.helm import yaml_io
from rlinf_constructs.helm.schema import values_schema
from tests_support import ROOT, BothRenderings, kubernetes_faults

SCHEMA = values_schema(RlinfValues, title="")
hydra.constrain(SCHEMA)
GENERATED = values_of(SCHEMA)
VALUES_FILES = sorted((ROOT / "values").glob("*.yaml"))


@pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.stem)
def test_shipped_values_render_alike(file: Path, renderings_agree: BothRenderings) -> None:
    """Each values file gives the same objects by helm and by Python, and Kubernetes would take them."""
    objects = renderings_agree(yaml_io.load_file(file), file)

    assert objects is not None
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


# Shrinking a failure by real helm would take minutes.
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.reuse, Phase.generate])
@given(values=GENERATED)
def test_generated_values_render_alike(
    values: dict[str, Any], renderings_agree: BothRenderings, tmp_path: Path
) -> None:
    """Whatever values the schema allows, both renderings give the same objects or refuse in the same words."""
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")

    assert yaml_io.load_file(file) == values
    renderings_agree(values, file)
