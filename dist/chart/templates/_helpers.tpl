{{/* The chart's name. */}}
{{- define "rlinf.name" -}}
{{ default .Chart.Name .Values.nameOverride }}
{{- end }}

{{/* The release's name, with the chart's unless it holds it already; of any length. */}}
{{- define "rlinf.wholeName" -}}
{{ default (ternary .Release.Name (printf "%s-%s" .Release.Name (include "rlinf.name" .)) (contains (include "rlinf.name" .) .Release.Name)) .Values.fullnameOverride }}
{{- end }}

{{/* Name of all objects. A long one is cut, and a hash keeps it apart from others that start alike. */}}
{{- define "rlinf.fullname" -}}
{{ ternary (printf "%s-%s" (trunc 36 (include "rlinf.wholeName" .)) (trunc 8 (sha256sum (include "rlinf.wholeName" .)))) (include "rlinf.wholeName" .) (gt (len (include "rlinf.wholeName" .)) 45) }}
{{- end }}

{{/* Labels of every object. */}}
{{- define "rlinf.labels" -}}
app.kubernetes.io/name: {{ include "rlinf.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels that tell this release's training pods from all others; they never change. */}}
{{- define "rlinf.selectorLabels" -}}
app.kubernetes.io/name: {{ include "rlinf.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: "training"
{{- end }}

{{/* Labels of the training pods: nothing that changes with the chart's version alone, which would roll them. */}}
{{- define "rlinf.podLabels" -}}
{{ include "rlinf.selectorLabels" . }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Number of ranks: one a GPU, or one a node without GPUs. */}}
{{- define "rlinf.worldSize" -}}
{{ mul (int64 .Values.nodes.count) (max (int64 .Values.nodes.gpus) 1) }}
{{- end }}

{{/* The run, as the bootstrap reads it. */}}
{{- define "rlinf.run" -}}
{
  "schema_version": 1,
  "name": {{ include "rlinf.fullname" . | toRawJson }},
  "folder": {{ printf "%s/%s" .Values.storage.runs.mountPath (include "rlinf.fullname" .) | toRawJson }},
  "nodes": {
    "count": {{ .Values.nodes.count | int64 }},
    "gpus": {{ .Values.nodes.gpus | int64 }}
  },
  "ray": {
    "head_host": {{ printf "%s-0.%s-nodes.%s.svc" (include "rlinf.fullname" .) (include "rlinf.fullname" .) .Release.Namespace | toRawJson }},
    "port": {{ .Values.ray.port | int64 }},
    "dashboard_port": {{ .Values.ray.dashboardPort | int64 }},
    "num_cpus": {{ ternary (int64 .Values.ray.cpus) (max (mul (int64 .Values.nodes.gpus) 2) 2) (gt (int64 .Values.ray.cpus) 0) }}
  },
  "engine": {
    "name": {{ .Values.training.engine | toRawJson }},
    "hydra": {{ .Values.training.hydra | toRawJson }}
  },
  "deadlines": {
    "start_s": {{ .Values.training.deadlines.startSeconds | int64 }},
    "join_s": {{ .Values.training.deadlines.joinSeconds | int64 }},
    "stop_s": {{ .Values.training.deadlines.stopSeconds | int64 }}
  },
  "on_finish": "hold"
}
{{- end }}
