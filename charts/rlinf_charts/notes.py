"""NOTES.txt: what was installed, and what to do next."""

TEXT = """\
{{- $name := include "rlinf.fullname" . -}}
{{- $kubectl := printf "kubectl --namespace %s" .Release.Namespace -}}
Installed {{ $name }}: {{ .Values.nodes.count }} node(s) with {{ include "rlinf.gpus" . }} GPU(s) each,
engine {{ .Values.training.engine }}, mode {{ .Values.mode }}.

Watch the pods come up and the training go on:
  {{ $kubectl }} get pods --selector app.kubernetes.io/instance={{ .Release.Name }} --watch
  {{ $kubectl }} logs --follow {{ $name }}-0

Check that the cluster has formed and the run folder can be written:
  helm --namespace {{ .Release.Namespace }} test {{ .Release.Name }}

Open Ray's dashboard on http://127.0.0.1:{{ .Values.ray.dashboardPort }} (its token is in the Secret
{{ default (printf "%s-ray-token" $name) .Values.ray.auth.existingSecret }}):
  {{ $kubectl }} port-forward {{ $name }}-0 {{ .Values.ray.dashboardPort }}

The run folder is {{ include "rlinf.runFolder" . }}, in
{{- if .Values.storage.checkpoints.volume }} {{ .Values.storage.checkpoints.volume }}.
{{- else }} the claim {{ default (printf "%s-runs" $name) .Values.storage.runs.existingClaim }}.
{{- end }}
"""
