"""What several templates have in common stands in one named template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cdk8s
import pytest
from cdk8s_plus_35 import k8s

from law import assert_law
from rlinf_constructs import helm
from sample_chart import SampleValues, values
from tests_support import both_renderings


def _colours(first: helm.StringLike) -> dict[str, str]:
    data = {"first": helm.when(values.count > 1, helm.string(first)), **helm.splice(values.environment)}
    return helm.shared("colours", data, about="Colours.")


def _chart(*config_maps: dict[str, str], loop: bool = False) -> helm.HelmChart:
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "sample")
    for number, data in enumerate(config_maps):
        k8s.KubeConfigMap(objects, f"Config{number}", metadata=k8s.ObjectMeta(name=f"config-{number}"), data=data)
    if loop:
        helm.each(
            values.names,
            lambda name: k8s.KubeConfigMap(
                objects, "Loop", metadata=k8s.ObjectMeta(name=f"loop-{name}"), data=_colours(name)
            ),
            name="name",
        )
    return helm.HelmChart(
        metadata={"apiVersion": "v2", "name": "sample", "version": "1.0.0", "appVersion": "1"},
        values=SampleValues,
        header="Values.",
        objects=objects,
    )


def test_a_part_of_two_templates_is_written_once() -> None:
    """Both include it, and leave its key out where nothing remains of it."""
    texts = _chart(_colours("red"), _colours("red")).texts()

    assert (
        texts["templates/_shared.tpl"]
        == """\
{{/* Colours. */}}
{{- define "sample.colours" -}}
{{- if gt (int64 .Values.count) 1 }}
first: red
{{- end }}
{{- with .Values.environment }}
{{ toYaml . }}
{{- end }}
{{- end }}
"""
    )
    assert (
        texts["templates/config1.yaml"]
        == """\
{{- /* Construct sample/Config1 */ -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-1
{{- with include "sample.colours" . }}
data:
  {{- trim . | nindent 2 }}
{{- end }}
"""
    )


def test_what_differs_or_stands_alone_stays_in_its_place() -> None:
    """A name is given to the content that most places have; one place alone needs no named template."""
    texts = _chart(_colours("red"), _colours("blue"), _colours("red")).texts()

    assert "templates/_shared.tpl" not in _chart(_colours("red")).texts()
    assert "first: red" in texts["templates/_shared.tpl"]
    assert "first: blue" in texts["templates/config1.yaml"]


def test_what_stands_in_a_loop_stays_there() -> None:
    """Outside the loop its variables are not known."""
    texts = _chart(_colours("red"), _colours("red"), loop=True).texts()

    assert "first: {{ $name | quote }}" in texts["templates/loop.yaml"]
    assert "include" in texts["templates/config0.yaml"]


@pytest.mark.parametrize(
    "given",
    [{}, {"count": 1}, {"count": 1, "environment": {"A": "one\n\n two", "B": "no"}}, {"names": ["a", "b"], "count": 3}],
)
def test_named_parts_render_alike(given: dict[str, Any], tmp_path: Path) -> None:
    """The law holds where templates include what they share, and where it is empty."""
    chart = _chart(_colours("red"), _colours("blue"), _colours("red"), loop=True)
    chart.write(tmp_path / "chart")

    assert assert_law(given, both_renderings(chart, tmp_path / "chart"), tmp_path) is not None
