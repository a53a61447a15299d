"""The law on our chart: plain rendering equals real `helm template`, on shipped and on generated values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis.errors import Unsatisfiable

from chart_values import ANY, REFUSED, Choice, acceptable, choices, makes
from label_syntax import label_faults
from law import assert_law, examples
from ray_crds import ray_faults
from rlinf_charts.validation import KubernetesSchemas, known_versions
from rlinf_constructs.helm import HelmChart, Release, ValuesError, yaml_io
from tests_support import ROOT, BothRenderings, kubernetes_faults

VALUES_FILES = sorted((ROOT / "values").glob("*.yaml"))
KUBERNETES = [KubernetesSchemas(version) for version in known_versions() if version >= "1.32"]
# More than a thousand in all.
OF_EACH_CHOICE = 1 + 1000 // len(choices())
NEVER = pytest.mark.xfail(raises=Unsatisfiable, reason="a rule refuses it, whatever else is set")
CHOICES = [pytest.param(it, id=str(it), marks=[NEVER] if str(it) in REFUSED else []) for it in choices()]


@pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.stem)
def test_shipped_values_render_alike(file: Path, renderings_agree: BothRenderings) -> None:
    """Each values file gives the same objects by helm and by Python, and Kubernetes would take them."""
    objects = renderings_agree(yaml_io.load_file(file), file)

    assert objects is not None
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


@examples(60)
@given(values=ANY)
def test_generated_values_render_alike(
    values: dict[str, Any], renderings_agree: BothRenderings, tmp_path: Path
) -> None:
    """Whatever values the schema allows, both renderings give the same objects or refuse in the same words."""
    assert_law(values, renderings_agree, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_renders_alike(
    choice: Choice, chart: HelmChart, renderings_agree: BothRenderings, tmp_path: Path
) -> None:
    """In each of a few valid values that make it both renderings agree, and each version of Kubernetes takes it all."""
    valid = 0

    def holds(values: dict[str, Any]) -> None:
        nonlocal valid
        assume(makes(values, choice) and _takes(chart, values))
        objects = assert_law(values, renderings_agree, tmp_path)
        assert objects is not None
        assert [fault for item in objects for fault in _faults(item, values)] == []
        valid += 1

    examples(OF_EACH_CHOICE)(given(values=acceptable(choice))(holds))()
    assert valid >= OF_EACH_CHOICE, f"rules let {valid} values through that set {choice}"


def _takes(chart: HelmChart, values: dict[str, Any]) -> bool:
    try:
        chart.check(chart.environment(values, Release(name="rel")))
    except ValuesError:
        return False
    return True


def _faults(item: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """What is wrong with an object's labels, or by the schemas of all versions, or of the operator in the values."""
    if item["apiVersion"] == "ray.io/v1":
        return [*label_faults(item), *ray_faults(item, values.get("kuberay", {}).get("version", "1.7"))]
    by_schema = [fault.message for schema in KUBERNETES if schema.knows(item) for fault in schema.faults(item)]
    return [*label_faults(item), *by_schema]
