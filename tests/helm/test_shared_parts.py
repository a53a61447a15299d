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
    return _of(objects)


def _of(objects: cdk8s.Chart) -> helm.HelmChart:
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


def _container(name: str, *env: k8s.EnvVar) -> k8s.Container:
    """With variables of its own before those that all containers have."""
    common = [
        k8s.EnvVar(name="ALWAYS", value="yes"),
        helm.when(values.count > 1, k8s.EnvVar(name="MANY", value="yes")),
        helm.each_entry(values.environment, lambda key, value: k8s.EnvVar(name=str(key), value=str(value))),
    ]
    about = "Variables of all containers."
    return k8s.Container(name=name, env=[*env, *(helm.shared("variables", it, about=about) for it in common)])


def _pods(*containers: k8s.Container) -> helm.HelmChart:
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "sample")
    for container in containers:
        metadata = k8s.ObjectMeta(name=container.name)
        k8s.KubePod(objects, container.name.title(), metadata=metadata, spec=k8s.PodSpec(containers=[container]))
    return _of(objects)


def test_items_that_lists_have_in_common_are_written_once(tmp_path: Path) -> None:
    """Each list keeps the items of its own around the include; a list of nothing else is the include."""
    chart = _pods(_container("plain"), _container("ranked", k8s.EnvVar(name="RANK", value="0")))
    texts = chart.texts()

    assert (
        texts["templates/_shared.tpl"]
        == """\
{{/* Variables of all containers. */}}
{{- define "sample.variables" -}}
- name: ALWAYS
  value: "yes"
{{- if gt (int64 .Values.count) 1 }}
- name: MANY
  value: "yes"
{{- end }}
{{- range $name, $value := .Values.environment }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
"""
    )
    include = '        {{- include "sample.variables" . | nindent 8 }}\n'
    assert f"      env:\n{include}" in texts["templates/plain.yaml"]
    assert f'      env:\n        - name: RANK\n          value: "0"\n{include}' in texts["templates/ranked.yaml"]
    chart.write(tmp_path / "chart")
    for given in ({}, {"count": 2, "environment": {"A": "a\n", "B": "no"}}):
        assert assert_law(given, both_renderings(chart, tmp_path / "chart"), tmp_path) is not None


def test_items_that_may_all_be_absent_take_their_key_along(tmp_path: Path) -> None:
    """A list without items is not written, and one with others stays."""
    many = helm.when(values.count > 1, k8s.EnvVar(name="MANY", value="yes"))
    few = helm.shared("few", many, about="Few.")
    rank = k8s.EnvVar(name="RANK", value="0")
    chart = _pods(k8s.Container(name="alone", env=[few]), k8s.Container(name="beside", env=[rank, few]))
    chart.write(tmp_path / "chart")
    assert '{{- with include "sample.few" . }}' in chart.texts()["templates/alone.yaml"]
    for given in ({"count": 1}, {"count": 2}):
        objects = assert_law(given, both_renderings(chart, tmp_path / "chart"), tmp_path)
        assert objects is not None
        assert [len(it["spec"]["containers"][0].get("env", [])) for it in objects] == [
            given["count"] - 1,
            given["count"],
        ]


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
