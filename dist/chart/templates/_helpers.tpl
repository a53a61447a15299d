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

{{/* Name of the Job. Its pods' template cannot change: other values or another version make another Job. */}}
{{- define "rlinf.job" -}}
{{ printf "%s-%s" (include "rlinf.fullname" .) (trunc 8 (sha256sum (printf "%s%s" .Chart.Version (toRawJson (omit .Values "job" "commonAnnotations" "dashboard" "extraObjects" "networkPolicy" "podDisruptionBudget" "podMonitor"))))) }}
{{- end }}

{{/* Whether there is a head beside the nodes, which takes no ranks. */}}
{{- define "rlinf.hasSeparateHead" -}}
{{ and (hasPrefix "ray" .Values.mode) (not (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector ""))) .Values.kuberay.head.separate }}
{{- end }}

{{/* Where the Ray head is found. */}}
{{- define "rlinf.headHost" -}}
{{ ternary (printf "%s-head.%s.svc" (ternary .Values.rayJob.clusterSelector (include "rlinf.fullname" .) (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector ""))) .Release.Namespace) (printf "%s-0.%s-nodes.%s.svc" (ternary (include "rlinf.job" .) (include "rlinf.fullname" .) (eq .Values.mode "job")) (include "rlinf.fullname" .) .Release.Namespace) (hasPrefix "ray" .Values.mode) }}
{{- end }}

{{/* Secret with Ray's token. */}}
{{- define "rlinf.tokenSecret" -}}
{{ default (printf "%s-ray-token" (include "rlinf.fullname" .)) .Values.ray.auth.existingSecret }}
{{- end }}

{{/* The pods' ServiceAccount. */}}
{{- define "rlinf.serviceAccountName" -}}
{{ default (ternary (include "rlinf.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{/* The image of the pods, by its digest or its tag. */}}
{{- define "rlinf.image" -}}
{{ printf "%s%s" .Values.image.repository (ternary (printf "@%s" .Values.image.digest) (printf ":%s" (default .Chart.AppVersion .Values.image.tag)) (ne .Values.image.digest "")) }}
{{- end }}

{{/* Name and version of the chart, as a label. */}}
{{- define "rlinf.chart" -}}
{{ trimAll "-_." (trunc 63 (replace "+" "_" (printf "%s-%s" .Chart.Name .Chart.Version))) }}
{{- end }}

{{/* Labels of every object. */}}
{{- define "rlinf.labels" -}}
app.kubernetes.io/name: {{ include "rlinf.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ include "rlinf.chart" . | quote }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of all pods of this release, and of no others. */}}
{{- define "rlinf.releaseLabels" -}}
app.kubernetes.io/name: {{ include "rlinf.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* Labels that tell this release's training pods from all others; they never change. */}}
{{- define "rlinf.selectorLabels" -}}
app.kubernetes.io/component: "training"
{{ include "rlinf.releaseLabels" . }}
{{- end }}

{{/* Labels of the training pods: nothing that changes with the chart's version alone, which would roll them. */}}
{{- define "rlinf.podLabels" -}}
{{ include "rlinf.selectorLabels" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- with .Values.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* GPUs of one node. */}}
{{- define "rlinf.gpus" -}}
{{ default (int64 (dig .Values.instance.type "gpus" 0 (.Files.Get "files/instances.json" | fromJson))) (int64 .Values.nodes.gpus) }}
{{- end }}

{{/* EFA devices of one node. */}}
{{- define "rlinf.efaDevices" -}}
{{ ternary (default (int64 (dig .Values.instance.type "efa" 0 (.Files.Get "files/instances.json" | fromJson))) (int64 .Values.efa.devices)) 0 .Values.efa.enabled }}
{{- end }}

{{/* CPU that one pod asks for. */}}
{{- define "rlinf.cpuRequest" -}}
{{ trimAll "\"" (toRawJson (dig "cpu" (dig "cpu" (dig .Values.instance.type "cpu" "1" (.Files.Get "files/instances.json" | fromJson)) .Values.nodes.resources.limits) .Values.nodes.resources.requests)) }}
{{- end }}

{{/* Memory that one pod asks for. */}}
{{- define "rlinf.memoryRequest" -}}
{{ trimAll "\"" (toRawJson (dig "memory" (dig "memory" (dig .Values.instance.type "memory" "4Gi" (.Files.Get "files/instances.json" | fromJson)) .Values.nodes.resources.limits) .Values.nodes.resources.requests)) }}
{{- end }}

{{/* CPU that one pod may use; empty for all. */}}
{{- define "rlinf.cpuLimit" -}}
{{ trimAll "\"" (toRawJson (dig "cpu" "" .Values.nodes.resources.limits)) }}
{{- end }}

{{/* Memory that one pod may use; empty for all. */}}
{{- define "rlinf.memoryLimit" -}}
{{ trimAll "\"" (toRawJson (dig "memory" (ternary (include "rlinf.memoryRequest" .) "" (ne .Values.instance.type "")) .Values.nodes.resources.limits)) }}
{{- end }}

{{/* Size of /dev/shm. */}}
{{- define "rlinf.sharedMemory" -}}
{{ default (dig .Values.instance.type "sharedMemory" "2Gi" (.Files.Get "files/instances.json" | fromJson)) .Values.nodes.sharedMemory }}
{{- end }}

{{/* A quantity such as 2Gi or 100m as a number, to compare it with another. */}}
{{- define "rlinf.quantity" -}}
{{ mulf (float64 (regexFind "^[0-9.]+" .)) (dig (regexFind "[A-Za-z]*$" .) 1 (dict "m" 0.001 "k" 1000.0 "M" 1000000.0 "G" 1000000000.0 "T" 1000000000000.0 "P" 1000000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624)) }}
{{- end }}

{{/* Whether the pods of a run get different nodes. */}}
{{- define "rlinf.keepsApart" -}}
{{ and (not (hasKey .Values.scheduling.affinity "podAntiAffinity")) (or (eq .Values.scheduling.onePodPerNode "always") (and (eq .Values.scheduling.onePodPerNode "auto") (eq (int64 (include "rlinf.gpus" .)) (int64 (dig .Values.instance.type "gpus" -1 (.Files.Get "files/instances.json" | fromJson)))))) }}
{{- end }}

{{/* Whether the pods of a run get one availability zone, beyond which EFA does not reach. */}}
{{- define "rlinf.keepsInOneZone" -}}
{{ and (not (hasKey .Values.scheduling.affinity "podAffinity")) (gt (int64 .Values.nodes.count) 1) (or (eq .Values.scheduling.oneZone "always") (and (eq .Values.scheduling.oneZone "auto") (gt (int64 (include "rlinf.efaDevices" .)) 0))) }}
{{- end }}

{{/* Whether the pods of a run prefer nodes that are close to each other. */}}
{{- define "rlinf.prefersNearbyNodes" -}}
{{ and (not (hasKey .Values.scheduling.affinity "podAffinity")) .Values.scheduling.preferNearbyNodes (gt (int64 .Values.nodes.count) 1) }}
{{- end }}

{{/* Scheduler of the pods; empty for the cluster's default. */}}
{{- define "rlinf.schedulerName" -}}
{{ default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName }}
{{- end }}

{{/* Whether pods mount a file system of FSx for Lustre. */}}
{{- define "rlinf.hasFsx" -}}
{{ not (not (or .Values.storage.fsx.fileSystemId .Values.storage.fsx.existingClaim .Values.storage.fsx.storageClassName)) }}
{{- end }}

{{/* Folder of this run: metrics, checkpoints, the marker of a finished run. */}}
{{- define "rlinf.runFolder" -}}
{{ printf "%s/%s" (ternary (printf "%s%s/%s" (ternary (dig (trimPrefix "claims/" .Values.storage.checkpoints.volume) "mountPath" "" .Values.storage.claims) (printf "/%s" .Values.storage.checkpoints.volume) (hasPrefix "claims/" .Values.storage.checkpoints.volume)) (ternary (printf "/%s" .Values.storage.checkpoints.path) "" (ne .Values.storage.checkpoints.path "")) .Release.Namespace) .Values.storage.runs.mountPath (ne .Values.storage.checkpoints.volume "")) (include "rlinf.fullname" .) }}
{{- end }}

{{/* Folder of what libraries download and compile. */}}
{{- define "rlinf.cacheFolder" -}}
{{ printf "%s%s" (ternary (dig (trimPrefix "claims/" .Values.storage.cache.volume) "mountPath" "" .Values.storage.claims) (printf "/%s" .Values.storage.cache.volume) (hasPrefix "claims/" .Values.storage.cache.volume)) (ternary (printf "/%s" .Values.storage.cache.path) "" (ne .Values.storage.cache.path "")) }}
{{- end }}

{{/* Whether a claim may be ReadWriteOnce, so that all who mount it share one machine. */}}
{{- define "rlinf.staysBesideTheNode" -}}
{{ not (not (and (eq (int64 (include "rlinf.pods" .)) 1) (or (and (eq .Values.storage.runs.accessMode "ReadWriteOnce") (not .Values.storage.runs.existingClaim) (not .Values.storage.checkpoints.volume)) (or (and .Values.storage.runs.existingClaim (not .Values.storage.checkpoints.volume)) .Values.storage.claims (contains "\"persistentVolumeClaim\":" (toRawJson .Values.extraVolumes)))))) }}
{{- end }}

{{/* Labels of the pods whose volumes a pod beside them mounts. It has the release's own labels itself, and so may go anywhere when the others have ended. */}}
{{- define "rlinf.neighbourLabels" -}}
{{- if and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector "") }}
ray.io/cluster: {{ .Values.rayJob.clusterSelector | quote }}
{{- end }}
{{- if not (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector "")) }}
{{ include "rlinf.releaseLabels" . }}
{{- end }}
{{- end }}

{{/* The port of an http or https address. */}}
{{- define "rlinf.portOf" -}}
{{ default (ternary 443 80 (hasPrefix "https:" .)) (int64 (trimPrefix ":" (regexFind ":[0-9]+$" (regexFind "//[^/]*" .)))) }}
{{- end }}

{{/* Environment variables that follow from the values. */}}
{{- define "rlinf.environment" -}}
{{- if hasPrefix "ray" .Values.mode }}
RAY_DASHBOARD_ENABLE_PROFILING: "1"
{{- end }}
{{- if and (eq .Values.efa.environment "current") (gt (int64 (include "rlinf.gpus" .)) 0) }}
NCCL_SOCKET_IFNAME: "^lo,docker,veth,pod-id-link0"
{{- end }}
{{- if and (eq .Values.efa.environment "current") (gt (int64 (include "rlinf.efaDevices" .)) 0) }}
NCCL_NET_PLUGIN: "ofi"
{{- end }}
{{- if and (eq .Values.efa.environment "seeds") (gt (int64 (include "rlinf.gpus" .)) 0) }}
FI_EFA_FORK_SAFE: "1"
FI_EFA_USE_DEVICE_RDMA: "1"
FI_PROVIDER: "efa"
NCCL_ALGO: "Ring,Tree"
NCCL_DEBUG: "WARN"
NCCL_PROTO: "Simple"
PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True"
RAY_memory_monitor_refresh_ms: "0"
TOKENIZERS_PARALLELISM: "true"
TORCH_NCCL_AVOID_RECORD_STREAMS: "1"
TORCH_USE_CUDA_DSA: "1"
{{- end }}
{{- if .Values.tracking.mlflow.trackingUri }}
MLFLOW_TRACKING_URI: {{ .Values.tracking.mlflow.trackingUri | quote }}
MLFLOW_EXPERIMENT_NAME: {{ .Values.tracking.mlflow.experiment | quote }}
MLFLOW_RUN_CONTEXT: {{ toRawJson (merge (dict "mlflow.runName" (default (include "rlinf.fullname" .) .Values.tracking.mlflow.runName)) .Values.tracking.mlflow.tags) | quote }}
{{- end }}
{{- if .Values.tracking.wandb.enabled }}
WANDB_PROJECT: {{ .Values.tracking.wandb.project | quote }}
WANDB_NAME: {{ include "rlinf.fullname" . | quote }}
{{- end }}
{{- if and .Values.tracking.wandb.enabled .Values.tracking.wandb.entity }}
WANDB_ENTITY: {{ .Values.tracking.wandb.entity | quote }}
{{- end }}
{{- if and .Values.tracking.wandb.enabled .Values.tracking.wandb.baseUrl }}
WANDB_BASE_URL: {{ .Values.tracking.wandb.baseUrl | quote }}
{{- end }}
{{- if .Values.tracking.tensorboard.enabled }}
TENSORBOARD_DIR: {{ printf "%s/tensorboard" (include "rlinf.runFolder" .) | quote }}
{{- end }}
{{- if .Values.training.videos }}
RLINF_VIDEO_FOLDER: {{ .Values.training.videos | quote }}
{{- end }}
{{- if .Values.storage.cache.volume }}
XDG_CACHE_HOME: {{ include "rlinf.cacheFolder" . | quote }}
{{- end }}
{{- end }}

{{/* Number of ranks: one a GPU, or one a node without GPUs. */}}
{{- define "rlinf.worldSize" -}}
{{ mul (int64 .Values.nodes.count) (max (int64 (include "rlinf.gpus" .)) 1) }}
{{- end }}

{{/* Number of pods: one a node, and a head that stands beside them. */}}
{{- define "rlinf.pods" -}}
{{ add (int64 .Values.nodes.count) (ternary 1 0 (eq (include "rlinf.hasSeparateHead" .) "true")) }}
{{- end }}

{{/* CPUs that one node offers to Ray. */}}
{{- define "rlinf.rayCpus" -}}
{{ default (max (mul (int64 (include "rlinf.gpus" .)) 2) 2) (int64 .Values.ray.cpus) }}
{{- end }}

{{/* The run, as the bootstrap reads it. */}}
{{- define "rlinf.run" -}}
{
  "schema_version": 1,
  "name": {{ include "rlinf.fullname" . | toRawJson }},
  "folder": {{ include "rlinf.runFolder" . | toRawJson }},
  "nodes": {
    "count": {{ .Values.nodes.count | int64 }},
    "gpus": {{ int64 (include "rlinf.gpus" .) }},
    "efa_devices": {{ int64 (include "rlinf.efaDevices" .) }}
  },
  "ray": {
    "head_host": {{ include "rlinf.headHost" . | toRawJson }},
    "port": {{ .Values.ray.port | int64 }},
    "dashboard_port": {{ .Values.ray.dashboardPort | int64 }},
    "metrics_port": {{ .Values.ray.metricsPort | int64 }},
    "num_cpus": {{ int64 (include "rlinf.rayCpus" .) }},
    "autoscaled": {{ or (and (eq .Values.mode "raycluster") .Values.kuberay.autoscaler.enabled) (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector "") .Values.kuberay.autoscaler.enabled) }}
  },
  "engine": {
    "name": {{ .Values.training.engine | toRawJson }},
    "code": {{ .Values.training.code | toRawJson }},
    "config_folder": {{ .Values.training.rlinf.configFolder | toRawJson }},
    "config_name": {{ .Values.training.rlinf.configName | toRawJson }},
    "hydra": {{ .Values.training.hydra | toRawJson }},
    "patches_off": {{ .Values.training.patches.skip | toRawJson }}
  },
  "preflight": {
    "enabled": {{ .Values.preflight.enabled }},
    "skip": {{ .Values.preflight.skip | toRawJson }}
  },
  "resume": {{ .Values.training.resume | toRawJson }},
  "keep_checkpoints": {{ .Values.training.keepCheckpoints | int64 }},
  "watchdog": {
    "epochs_without_update": {{ .Values.training.watchdog.epochsWithoutUpdate | int64 }},
    "step_minutes": {{ .Values.training.watchdog.stepMinutes | int64 }}
  },
  "deadlines": {
    "start_s": {{ .Values.training.deadlines.startSeconds | int64 }},
    "join_s": {{ .Values.training.deadlines.joinSeconds | int64 }},
    "stop_s": {{ .Values.training.deadlines.stopSeconds | int64 }}
  },
  "on_finish": {{ ternary "hold" "exit" (eq .Values.mode "statefulset") | toRawJson }}
}
{{- end }}

{{/* Options of `ray start` that kuberay.head.rayStartParams cannot have, and why. */}}
{{- define "rlinf.optionsNotOfHead" -}}
address: "which KubeRay sets itself: remove it"
block: "which KubeRay sets itself: remove it"
dashboard-agent-listen-port: "but the probes of the pods ask Ray at 52365, which is its default: remove it"
dashboard-port: "which the chart sets from ray.dashboardPort: set ray.dashboardPort instead"
head: "which KubeRay sets itself: remove it"
include-dashboard: "but the bootstrap asks the dashboard for nodes and jobs, and it is on by default: remove it"
labels: "which KubeRay refuses: name a file with them in labels-file instead"
metrics-export-port: "which the chart sets from ray.metricsPort: set ray.metricsPort instead"
num-cpus: "which the chart sets from ray.cpus: set ray.cpus instead"
num-gpus: "which KubeRay sets from the GPUs of the pod: set nodes.gpus instead"
port: "which the chart sets from ray.port: set ray.port instead"
redis-username: "which KubeRay refuses: remove it"
{{- end }}

{{/* Options of `ray start` that kuberay.workers.rayStartParams cannot have, and why. */}}
{{- define "rlinf.optionsNotOfWorkers" -}}
address: "which KubeRay sets itself: remove it"
block: "which KubeRay sets itself: remove it"
dashboard-agent-listen-port: "but the probes of the pods ask Ray at 52365, which is its default: remove it"
head: "which KubeRay sets itself: remove it"
include-dashboard: "which `ray start` takes on the head only: remove it"
labels: "which KubeRay refuses: name a file with them in labels-file instead"
metrics-export-port: "which the chart sets from ray.metricsPort: set ray.metricsPort instead"
num-cpus: "which the chart sets from ray.cpus: set ray.cpus instead"
num-gpus: "which KubeRay sets from the GPUs of the pod: set nodes.gpus instead"
port: "which `ray start` takes on the head only: remove it"
redis-shard-ports: "which `ray start` takes on the head only: remove it"
redis-username: "which KubeRay refuses: remove it"
{{- end }}

{{/* Episodes that the engine verl scores at a time: 32, as near as it comes to a multiple of ranks. */}}
{{- define "rlinf.verlLogProbBatch" -}}
{{ mul (max (div 32 (int64 (include "rlinf.worldSize" .))) 1) (int64 (include "rlinf.worldSize" .)) }}
{{- end }}

{{/* Groups that the engine verl rolls out at a time. */}}
{{- define "rlinf.verlPrompts" -}}
{{ int64 (floor (mulf (int64 (dig "data" "train_batch_size" 64 .Values.training.hydra)) (float64 (dig "data" "oversample_factor" 1.0 .Values.training.hydra)))) }}
{{- end }}

{{/* Initial states of an epoch of LIBERO. */}}
{{- define "rlinf.verlInitialStates" -}}
{{ mul (int64 (dig "data" "num_trials_per_task" 50 .Values.training.hydra)) (ternary 90 10 (eq (dig "data" "task_suite_name" "libero_10" .Values.training.hydra) "libero_90")) }}
{{- end }}

{{/* Forward passes of an episode of LIBERO, which has 512 steps. */}}
{{- define "rlinf.verlForwardPasses" -}}
{{ div (add (int64 (dig "actor_rollout_ref" "model" "action_chunks_len" 8 .Values.training.hydra)) 511) (max (int64 (dig "actor_rollout_ref" "model" "action_chunks_len" 8 .Values.training.hydra)) 1) }}
{{- end }}

{{/* Where the launch folder has what is in its ConfigMap. */}}
{{- define "rlinf.launchItems" -}}
- key: run.json
  path: run.json
- key: __init__.py
  path: __init__.py
- key: __main__.py
  path: __main__.py
- key: alive.sh
  path: alive.sh
- key: attempt.py
  path: attempt.py
- key: cluster.py
  path: cluster.py
- key: credentials.py
  path: credentials.py
- key: dashboard.py
  path: dashboard.py
- key: engine_runs.py
  path: engine_runs.py
- key: exit_codes.py
  path: exit_codes.py
- key: finish.py
  path: finish.py
- key: following.__init__.py
  path: following/__init__.py
- key: following.console.py
  path: following/console.py
- key: following.event_file.py
  path: following/event_file.py
- key: following.event_logs.py
  path: following/event_logs.py
- key: following.follower.py
  path: following/follower.py
- key: following.metric_sources.py
  path: following/metric_sources.py
- key: following.mlflow_relay.py
  path: following/mlflow_relay.py
- key: following.mlflow_server.py
  path: following/mlflow_server.py
- key: following.progress.py
  path: following/progress.py
- key: following.run_log.py
  path: following/run_log.py
- key: following.stacks.py
  path: following/stacks.py
- key: following.status.py
  path: following/status.py
- key: following.tail.py
  path: following/tail.py
- key: following.watchdog.py
  path: following/watchdog.py
- key: head.py
  path: head.py
- key: held_nodes.py
  path: held_nodes.py
- key: hydra.py
  path: hydra.py
- key: launch.sh
  path: launch.sh
- key: leftovers.py
  path: leftovers.py
- key: log.py
  path: log.py
- key: node.py
  path: node.py
- key: open_files.py
  path: open_files.py
- key: output.py
  path: output.py
- key: pod.py
  path: pod.py
- key: pod_status.py
  path: pod_status.py
- key: ports.py
  path: ports.py
- key: preflight.__init__.py
  path: preflight/__init__.py
- key: preflight.checks.py
  path: preflight/checks.py
- key: preflight.child.py
  path: preflight/child.py
- key: preflight.clock.py
  path: preflight/clock.py
- key: preflight.compose_probe.py
  path: preflight/compose_probe.py
- key: preflight.configuration.py
  path: preflight/configuration.py
- key: preflight.cpus.py
  path: preflight/cpus.py
- key: preflight.efa.py
  path: preflight/efa.py
- key: preflight.engine.py
  path: preflight/engine.py
- key: preflight.finding.py
  path: preflight/finding.py
- key: preflight.gpus.py
  path: preflight/gpus.py
- key: preflight.memory.py
  path: preflight/memory.py
- key: preflight.model.py
  path: preflight/model.py
- key: preflight.packages.py
  path: preflight/packages.py
- key: preflight.plan.py
  path: preflight/plan.py
- key: preflight.platform.py
  path: preflight/platform.py
- key: preflight.preflight.py
  path: preflight/preflight.py
- key: preflight.render_probe.py
  path: preflight/render_probe.py
- key: preflight.rendering.py
  path: preflight/rendering.py
- key: preflight.shared_memory.py
  path: preflight/shared_memory.py
- key: preflight.simulator.py
  path: preflight/simulator.py
- key: preflight.space.py
  path: preflight/space.py
- key: processes.py
  path: processes.py
- key: ray_process.py
  path: ray_process.py
- key: ready.py
  path: ready.py
- key: roster.py
  path: roster.py
- key: run_config.py
  path: run_config.py
- key: run_folder.py
  path: run_folder.py
- key: sole_writer.py
  path: sole_writer.py
- key: stop.py
  path: stop.py
- key: submit.py
  path: submit.py
- key: verify.py
  path: verify.py
- key: whole_file.py
  path: whole_file.py
- key: worker.py
  path: worker.py
{{- end }}

{{/* Where the launch folder has what is in the ConfigMap for the engines. */}}
{{- define "rlinf.enginesItems" -}}
- key: engines.__init__.py
  path: engines/__init__.py
- key: engines.carried.py
  path: engines/carried.py
- key: engines.engine.py
  path: engines/engine.py
- key: engines.launch.py
  path: engines/launch.py
- key: engines.native.py
  path: engines/native.py
- key: engines.rlinf.py
  path: engines/rlinf.py
- key: engines.rlinf_sizes.py
  path: engines/rlinf_sizes.py
- key: engines.verl.py
  path: engines/verl.py
- key: engines.verl_batches.py
  path: engines/verl_batches.py
- key: engines.verl_suites.py
  path: engines/verl_suites.py
- key: patches.__init__.py
  path: patches/__init__.py
- key: patches.drive.py
  path: patches/drive.py
- key: patches.hook.py
  path: patches/hook.py
- key: patches.image_operations.py
  path: patches/image_operations.py
- key: patches.libero.__init__.py
  path: patches/libero/__init__.py
- key: patches.libero.initial_states_file.py
  path: patches/libero/initial_states_file.py
- key: patches.patch.py
  path: patches/patch.py
- key: patches.ray_start.py
  path: patches/ray_start.py
- key: patches.registry.py
  path: patches/registry.py
- key: patches.report.py
  path: patches/report.py
- key: patches.rlinf.__init__.py
  path: patches/rlinf/__init__.py
- key: patches.rlinf.node_wait.py
  path: patches/rlinf/node_wait.py
- key: patches.robosuite.__init__.py
  path: patches/robosuite/__init__.py
- key: patches.robosuite.render_device.py
  path: patches/robosuite/render_device.py
- key: patches.runtime_env.py
  path: patches/runtime_env.py
- key: patches.setup.py
  path: patches/setup.py
- key: patches.stub.py
  path: patches/stub.py
- key: patches.target.py
  path: patches/target.py
- key: patches.verl.__init__.py
  path: patches/verl/__init__.py
- key: patches.verl.config_json.py
  path: patches/verl/config_json.py
- key: patches.verl.environment_failure.py
  path: patches/verl/environment_failure.py
- key: patches.verl.epoch_end.py
  path: patches/verl/epoch_end.py
- key: patches.verl.filter_truncated.py
  path: patches/verl/filter_truncated.py
- key: patches.verl.filter_warmup.py
  path: patches/verl/filter_warmup.py
- key: patches.verl.flash_attn_bert_padding.py
  path: patches/verl/flash_attn_bert_padding.py
- key: patches.verl.flash_attn_cross_entropy.py
  path: patches/verl/flash_attn_cross_entropy.py
- key: patches.verl.images.py
  path: patches/verl/images.py
- key: patches.verl.initial_states.py
  path: patches/verl/initial_states.py
- key: patches.verl.loggers.py
  path: patches/verl/loggers.py
- key: patches.verl.lora_save.py
  path: patches/verl/lora_save.py
- key: patches.verl.model_path.py
  path: patches/verl/model_path.py
- key: patches.verl.modeling_files.py
  path: patches/verl/modeling_files.py
- key: patches.verl.no_filter.py
  path: patches/verl/no_filter.py
- key: patches.verl.placement.py
  path: patches/verl/placement.py
- key: patches.verl.runtime_env_file.py
  path: patches/verl/runtime_env_file.py
- key: patches.verl.tensorflow_images.py
  path: patches/verl/tensorflow_images.py
- key: patches.verl.trainer_config.py
  path: patches/verl/trainer_config.py
- key: patches.verl.validation_frequency.py
  path: patches/verl/validation_frequency.py
- key: patches.verl.validation_only.py
  path: patches/verl/validation_only.py
- key: patches.verl.validation_videos.py
  path: patches/verl/validation_videos.py
- key: patches.verl.vllm_version.py
  path: patches/verl/vllm_version.py
- key: staging.__init__.py
  path: staging/__init__.py
- key: staging.attempts.py
  path: staging/attempts.py
- key: staging.auto_map.py
  path: staging/auto_map.py
- key: staging.begin.py
  path: staging/begin.py
- key: staging.checkpoints.py
  path: staging/checkpoints.py
- key: staging.engine_code.py
  path: staging/engine_code.py
- key: staging.model_folder.py
  path: staging/model_folder.py
- key: staging.modules_cache.py
  path: staging/modules_cache.py
- key: staging.vain_attempts.py
  path: staging/vain_attempts.py
- key: staging.weights.py
  path: staging/weights.py
{{- end }}

{{/* The objects that the chart makes: API group, kind and name. */}}
{{- define "rlinf.objects" -}}
{{- if .Values.serviceAccount.create }}
- {{ printf "ServiceAccount/%s" (include "rlinf.serviceAccountName" .) | quote }}
{{- end }}
{{- if and .Values.ray.auth.enabled (not .Values.ray.auth.existingSecret) }}
- {{ printf "Secret/%s-ray-token" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and .Values.storage.runs.create (not .Values.storage.runs.existingClaim) (not .Values.storage.checkpoints.volume) }}
- {{ printf "PersistentVolumeClaim/%s-runs" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if .Values.storage.fsx.fileSystemId }}
- {{ printf "PersistentVolume/%s.%s.fsx" .Release.Namespace (include "rlinf.fullname" .) | quote }}
- {{ printf "PersistentVolumeClaim/%s-fsx" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if .Values.storage.fsx.storageClassName }}
- {{ printf "PersistentVolumeClaim/%s-fsx" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- range $key, $bucket := .Values.storage.s3 }}
- {{ printf "PersistentVolume/%s.%s.s3-%s" $.Release.Namespace (include "rlinf.fullname" $) $key | quote }}
{{- end }}
{{- range $key, $bucket := .Values.storage.s3 }}
- {{ printf "PersistentVolumeClaim/%s-s3-%s" (include "rlinf.fullname" $) $key | quote }}
{{- end }}
- {{ printf "ConfigMap/%s-launch" (include "rlinf.fullname" .) | quote }}
- {{ printf "ConfigMap/%s-launch-engines" (include "rlinf.fullname" .) | quote }}
{{- if not (hasPrefix "ray" .Values.mode) }}
- {{ printf "Service/%s-nodes" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and (hasPrefix "ray" .Values.mode) (not (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector ""))) }}
- {{ printf "Service/%s-head" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if eq .Values.mode "statefulset" }}
- {{ printf "apps/StatefulSet/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if eq .Values.mode "job" }}
- {{ printf "batch/Job/%s" (include "rlinf.job" .) | quote }}
{{- end }}
{{- if and (eq .Values.mode "raycluster") (not .Values.kuberay.head.separate) }}
- {{ printf "ray.io/RayCluster/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and (eq .Values.mode "raycluster") .Values.kuberay.head.separate }}
- {{ printf "ray.io/RayCluster/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and (eq .Values.mode "rayjob") (not .Values.rayJob.clusterSelector) (not .Values.kuberay.head.separate) }}
- {{ printf "ray.io/RayJob/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and (eq .Values.mode "rayjob") (not .Values.rayJob.clusterSelector) .Values.kuberay.head.separate }}
- {{ printf "ray.io/RayJob/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector "") }}
- {{ printf "ray.io/RayJob/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if .Values.scheduling.volcanoQueue }}
- {{ printf "scheduling.volcano.sh/PodGroup/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if and .Values.podDisruptionBudget.enabled (not (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector ""))) }}
- {{ printf "policy/PodDisruptionBudget/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if .Values.networkPolicy.enabled }}
- {{ printf "networking.k8s.io/NetworkPolicy/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if not (and (eq .Values.mode "rayjob") (ne .Values.rayJob.clusterSelector "")) }}
- {{ printf "Service/%s-dashboard" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if .Values.dashboard.ingress.enabled }}
- {{ printf "networking.k8s.io/Ingress/%s-dashboard" (include "rlinf.fullname" .) | quote }}
{{- end }}
{{- if .Values.podMonitor.enabled }}
- {{ printf "monitoring.coreos.com/PodMonitor/%s" (include "rlinf.fullname" .) | quote }}
{{- end }}
- {{ printf "Pod/%s-test" (include "rlinf.fullname" .) | quote }}
{{- end }}
