"""The written templates read as if a person had written them."""

from __future__ import annotations

from rlinf_constructs.helm import HelmChart, values_yaml
from rlinf_constructs.helm.document import Entry, Mapping, Scalar
from rlinf_constructs.helm.expressions import Literal, Reference, Scope
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.placeholders import When
from rlinf_constructs.helm.template import content
from sample_chart import SampleValues


def test_a_template_is_pleasant_to_read(sample: HelmChart) -> None:
    """Conditions, loops, quoting and indentation, as a chart author would write them."""
    assert (
        sample.texts()["templates/main-pod.yaml"]
        == """\
{{- /* Construct sample/MainPod */ -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "sample.fullname" . | quote }}
spec:
  containers:
    - name: main
      {{- with .Values.names }}
      args:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      command:
        - main
        {{- with .Values.names }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      env:
        {{- range $name, $value := .Values.environment }}
        - name: {{ $name | quote }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range $name, $value := fromYaml (include "sample.extras" .) }}
        {{- if not (hasKey $.Values.environment $name) }}
        - name: {{ $name | quote }}
          value: {{ $value | quote }}
        {{- end }}
        {{- end }}
        - name: PLAIN
          value: "no"
      {{- if .Values.claims }}
      volumeMounts:
        {{- range $claim := .Values.claims }}
        - name: {{ $claim.name | quote }}
          mountPath: {{ printf "/mnt/%s" $claim.name | quote }}
          readOnly: {{ dig "readOnly" false $claim }}
        {{- end }}
      {{- end }}
    {{- range $container := .Values.containers }}
    - name: {{ $container.name | quote }}
      restartPolicy: Always
      {{- with omit $container "name" "restartPolicy" }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- end }}
  {{- with .Values.environment }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if gt (int64 .Values.count) 1 }}
  serviceAccountName: {{ include "sample.fullname" . | quote }}
  {{- end }}
  {{- if or .Values.claims (and (eq .Values.mode "large") .Values.service.enabled) .Values.volumes }}
  volumes:
    {{- range $claim := .Values.claims }}
    - name: {{ $claim.name | quote }}
      emptyDir: {}
    {{- end }}
    {{- if and (eq .Values.mode "large") .Values.service.enabled }}
    - name: extra
      emptyDir: {}
    {{- end }}
    {{- with .Values.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
"""
    )


def test_values_yaml_has_a_comment_on_every_key(sample: HelmChart) -> None:
    """The text of values.yaml, with nested keys."""
    assert (
        "# The Service.\nservice:\n  # Make the Service.\n  enabled: true\n  # Its port.\n  port: 8080\n"
        in (sample.texts()["values.yaml"])
    )


def test_no_line_ends_in_a_space(sample: HelmChart) -> None:
    """No trailing spaces anywhere in the chart."""
    for path, text in sample.texts().items():
        assert [line for line in text.splitlines() if line != line.rstrip()] == [], path


def test_the_same_chart_gives_the_same_bytes(sample: HelmChart) -> None:
    """Writing is deterministic, in whatever order constructs and placeholders were made before."""
    from sample_chart import make_chart

    assert make_chart().texts() == sample.texts()


def test_the_reference_lists_the_keys_of_items() -> None:
    """What a list holds has no place in values.yaml."""
    keys = {key.path: key.default for key in values_yaml.reference(SampleValues)}

    assert keys["service.port"] == "8080"
    assert keys["claims[].name"] == "required"
    assert keys["claims[].readOnly"] == "false"


def test_neighbours_under_one_condition_share_a_block() -> None:
    """A condition is written once for the entries and items that follow each other under it, and again after others."""
    is_enabled = Reference(root="Values", path=("service", "enabled"), kind=Kind.BOOLEAN)
    first, second, third = (
        Entry(key=key, node=Scalar(value=Literal(value=key), guards=(When(condition=is_enabled),))) for key in "abc"
    )
    always = Entry(key="always", node=Scalar(value=Literal(value="x")))

    assert content(Mapping(entries=(first, second, always, third)), Scope()).splitlines() == [
        "{{- if .Values.service.enabled }}",
        "a: a",
        "b: b",
        "{{- end }}",
        "always: x",
        "{{- if .Values.service.enabled }}",
        "c: c",
        "{{- end }}",
    ]
