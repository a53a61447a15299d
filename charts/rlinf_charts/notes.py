"""NOTES.txt: what was installed, and what to do next."""

TEXT = """\
{{- $name := include "rlinf.fullname" . -}}
{{- $kubectl := printf "kubectl --namespace %s" .Release.Namespace -}}
{{- $release := printf "app.kubernetes.io/instance=%s" .Release.Name -}}
{{- $isOld := and (hasPrefix "ray" .Values.mode) (eq .Values.kuberay.version "1.5") -}}
{{- $cluster := ternary .Values.rayJob.clusterSelector "" (eq .Values.mode "rayjob") -}}
{{- $head := printf "pod/%s-0" $name -}}
{{- if eq .Values.mode "job" -}}
{{- /* A head that has failed stays beside the next one. */ -}}
{{- $head = printf "--tail -1 --selector %s,batch.kubernetes.io/job-completion-index=0" $release -}}
{{- else if hasPrefix "ray" .Values.mode -}}
{{- $label := ternary (printf "ray.io/cluster=%s" $cluster) $release (ne $cluster "") -}}
{{- $head = printf "$(%s get pods --selector %s,ray.io/node-type=head --output name)" $kubectl $label -}}
{{- end -}}
{{- $dashboard := ternary $head (printf "service/%s-dashboard" $name) (ne $cluster "") -}}
Installed {{ $name }}: {{ .Values.nodes.count }} node(s) with {{ include "rlinf.gpus" . }} GPU(s) each,
engine {{ .Values.training.engine }}, mode {{ .Values.mode }}.

Watch the pods come up and the training go on:
  {{ $kubectl }} get pods --selector {{ $release }} --watch
{{- if eq .Values.mode "raycluster" }}

Train on the cluster, with the values of this release:
  {{ $kubectl }} exec {{ $head }} -- ray job submit -- exec sh /opt/rlinf/launch/launch.sh submit
{{- else if eq .Values.mode "rayjob" }}
  {{ $kubectl }} get rayjob {{ $name }} --watch
{{- if eq .Values.rayJob.submissionMode "K8sJobMode" }}
  {{ $kubectl }} logs --follow job/{{ $name }}
{{- end }}

A RayJob runs once, and an upgrade changes none that runs. For another training with other values:
  {{ $kubectl }} delete rayjob {{ $name }}, and then helm upgrade
{{- else }}
  {{ $kubectl }} logs --follow {{ $head }}
{{- end }}
{{- if eq .Values.mode "job" }}

Wait for the end; changed values make another Job, which goes on from the last checkpoint:
  {{ $kubectl }} wait job/{{ include "rlinf.job" . }} --for condition=complete --timeout -1s
{{- end }}

No pod comes, or one does not start: the reason is among the events, and of one that ended in its description:
  {{ $kubectl }} get events --sort-by .lastTimestamp
  {{ $kubectl }} describe pods --selector {{ $release }}

Check that the cluster has formed and the run folder can be written:
  helm --namespace {{ .Release.Namespace }} test {{ .Release.Name }}

Open Ray's dashboard on http://127.0.0.1:{{ .Values.ray.dashboardPort }}
{{- if .Values.ray.auth.enabled }} (its token is in the Secret
{{ include "rlinf.tokenSecret" . }}){{ end }}:
  {{ $kubectl }} port-forward {{ $dashboard }} {{ .Values.ray.dashboardPort }}

The run folder is {{ include "rlinf.runFolder" . }}, in
{{- if .Values.storage.checkpoints.volume }} {{ .Values.storage.checkpoints.volume }}.
{{- else }} the claim {{ default (printf "%s-runs" $name) .Values.storage.runs.existingClaim }}.
{{- end }}
{{- if and (ne .Values.training.engine "native") (eq (include "rlinf.gpus" .) "0") (eq $cluster "") }}

Engine {{ .Values.training.engine }} trains on GPUs, and these values ask for none: set instance.type or nodes.gpus.
{{- end }}
{{- $isSpread := and (gt (int .Values.nodes.count) 1) (ne (include "rlinf.gpus" .) "0") (eq $cluster "") }}
{{- if and $isSpread .Values.efa.enabled (eq (include "rlinf.efaDevices" .) "0") }}

NCCL takes TCP between the nodes, since no EFA device is asked for: set efa.devices or instance.type, or
efa.enabled=false where that is meant.
{{- end }}
{{- $silent := or .Values.tracking.wandb.enabled .Values.tracking.tensorboard.enabled }}
{{- if and $silent (eq .Values.training.engine "native") }}

Engine native sends nothing to Weights & Biases and writes no TensorBoard files: its metrics are in the run folder's
metrics.jsonl, and with tracking.mlflow in MLflow.
{{- end }}
{{- if not (or .Values.ray.auth.enabled .Values.networkPolicy.enabled) }}

Ray asks for no token and no NetworkPolicy closes its ports: whoever reaches them can run code there.
{{- end }}
{{- if and .Values.podDisruptionBudget.enabled (eq $cluster "") }}

The pods cannot be evicted: to drain a node, uninstall, or set podDisruptionBudget.enabled=false.
{{- end }}
{{- if and (eq .Values.mode "raycluster") .Values.kuberay.autoscaler.enabled }}

Workers come when a run asks for them, and go after {{ .Values.kuberay.autoscaler.idleSeconds }} s without work. Ray's
autoscaler writes their number into the RayCluster: upgrade with --force-conflicts, and while no run needs them.
{{- end }}
{{- if $isOld }}

KubeRay 1.5 differs from 1.7:
- It cannot give Ray's token, so a RayJob waits for ever on a cluster that asks for one.
{{- if eq .Values.mode "raycluster" }}
- An upgrade does not replace pods: delete them to change more than the run, which they see within two minutes.
{{- end }}
{{- end }}
"""
