{{/* Which nodes and neighbours the pods look for, and which they avoid. */}}
{{- define "rlinf.affinity" -}}
{{- if or (eq (include "rlinf.prefersNearbyNodes" .) "true") (eq (include "rlinf.keepsInOneZone" .) "true") }}
podAffinity:
  {{- if eq (include "rlinf.prefersNearbyNodes" .) "true" }}
  preferredDuringSchedulingIgnoredDuringExecution:
    - podAffinityTerm:
        labelSelector:
          matchLabels:
            {{- if and (hasPrefix "ray" .Values.mode) .Values.kuberay.head.separate }}
            ray.io/group: workers
            {{- end }}
            {{- include "rlinf.selectorLabels" . | nindent 12 }}
        topologyKey: topology.k8s.aws/network-node-layer-3
      weight: 100
    - podAffinityTerm:
        labelSelector:
          matchLabels:
            {{- if and (hasPrefix "ray" .Values.mode) .Values.kuberay.head.separate }}
            ray.io/group: workers
            {{- end }}
            {{- include "rlinf.selectorLabels" . | nindent 12 }}
        topologyKey: topology.k8s.aws/network-node-layer-2
      weight: 50
    - podAffinityTerm:
        labelSelector:
          matchLabels:
            {{- if and (hasPrefix "ray" .Values.mode) .Values.kuberay.head.separate }}
            ray.io/group: workers
            {{- end }}
            {{- include "rlinf.selectorLabels" . | nindent 12 }}
        topologyKey: topology.k8s.aws/network-node-layer-1
      weight: 10
  {{- end }}
  {{- if eq (include "rlinf.keepsInOneZone" .) "true" }}
  requiredDuringSchedulingIgnoredDuringExecution:
    - labelSelector:
        matchLabels:
          {{- if and (hasPrefix "ray" .Values.mode) .Values.kuberay.head.separate }}
          ray.io/group: workers
          {{- end }}
          {{- include "rlinf.selectorLabels" . | nindent 10 }}
      topologyKey: topology.kubernetes.io/zone
  {{- end }}
{{- end }}
{{- if eq (include "rlinf.keepsApart" .) "true" }}
podAntiAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    - labelSelector:
        matchLabels:
          {{- include "rlinf.selectorLabels" . | nindent 10 }}
      topologyKey: kubernetes.io/hostname
{{- end }}
{{- with .Values.scheduling.affinity }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Limits of one node's pod. */}}
{{- define "rlinf.limits" -}}
{{- if include "rlinf.cpuLimit" . }}
cpu: {{ include "rlinf.cpuLimit" . | quote }}
{{- end }}
{{- if .Values.efa.hugepages }}
hugepages-2Mi: {{ .Values.efa.hugepages | quote }}
{{- end }}
{{- if include "rlinf.memoryLimit" . }}
memory: {{ include "rlinf.memoryLimit" . | quote }}
{{- end }}
{{- if gt (int64 (include "rlinf.gpus" .)) 0 }}
nvidia.com/gpu: {{ int64 (include "rlinf.gpus" .) }}
{{- end }}
{{- if gt (int64 (include "rlinf.efaDevices" .)) 0 }}
vpc.amazonaws.com/efa: {{ int64 (include "rlinf.efaDevices" .) }}
{{- end }}
{{- with omit .Values.nodes.resources.limits "cpu" "memory" }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Requests of one node's pod. */}}
{{- define "rlinf.requests" -}}
cpu: {{ include "rlinf.cpuRequest" . | quote }}
memory: {{ include "rlinf.memoryRequest" . | quote }}
{{- with omit .Values.nodes.resources.requests "cpu" "memory" }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What the containers may do. */}}
{{- define "rlinf.containerSecurity" -}}
allowPrivilegeEscalation: false
capabilities:
  {{- if .Values.efa.ipcLock }}
  add:
    - IPC_LOCK
  {{- end }}
  drop:
    - ALL
readOnlyRootFilesystem: {{ .Values.podSecurity.readOnlyRootFilesystem }}
{{- end }}

{{/* Where the pods see their volumes. */}}
{{- define "rlinf.volumeMounts" -}}
- name: launch
  mountPath: /opt/rlinf/launch
  readOnly: true
- name: tmp
  mountPath: /tmp
- name: shm
  mountPath: /dev/shm
{{- if not .Values.storage.checkpoints.volume }}
- name: runs
  mountPath: {{ .Values.storage.runs.mountPath | quote }}
{{- end }}
{{- if eq (include "rlinf.hasFsx" .) "true" }}
- name: fsx
  mountPath: /fsx
{{- end }}
{{- if .Values.storage.scratch.size }}
- name: scratch
  mountPath: /scratch
{{- end }}
{{- range $key, $bucket := .Values.storage.s3 }}
- name: {{ printf "s3-%s" $key | quote }}
  mountPath: {{ printf "/s3/%s" $key | quote }}
  readOnly: {{ not (dig "writable" false $bucket) }}
{{- end }}
{{- range $key, $claim := .Values.storage.claims }}
- name: {{ printf "claims-%s" $key | quote }}
  mountPath: {{ $claim.mountPath | quote }}
  readOnly: {{ dig "readOnly" false $claim }}
{{- end }}
{{- if .Values.storage.models.volume }}
- name: {{ replace "/" "-" .Values.storage.models.volume | quote }}
  mountPath: /models
  readOnly: true
  {{- if .Values.storage.models.path }}
  subPath: {{ .Values.storage.models.path | quote }}
  {{- end }}
{{- end }}
{{- if .Values.storage.datasets.volume }}
- name: {{ replace "/" "-" .Values.storage.datasets.volume | quote }}
  mountPath: /datasets
  readOnly: true
  {{- if .Values.storage.datasets.path }}
  subPath: {{ .Values.storage.datasets.path | quote }}
  {{- end }}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of the nodes that the pods get. */}}
{{- define "rlinf.nodeSelector" -}}
{{- if and .Values.instance.type (not (hasKey .Values.scheduling.nodeSelector "node.kubernetes.io/instance-type")) }}
node.kubernetes.io/instance-type: {{ .Values.instance.type | quote }}
{{- end }}
{{- with .Values.scheduling.nodeSelector }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Under whom the pods run. */}}
{{- define "rlinf.podSecurity" -}}
fsGroup: {{ .Values.podSecurity.fsGroup | int64 }}
fsGroupChangePolicy: OnRootMismatch
runAsGroup: {{ .Values.podSecurity.runAsGroup | int64 }}
runAsNonRoot: {{ ne (int64 .Values.podSecurity.runAsUser) 0 }}
runAsUser: {{ .Values.podSecurity.runAsUser | int64 }}
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* Taints that the pods do not mind. */}}
{{- define "rlinf.tolerations" -}}
{{- if gt (int64 (include "rlinf.gpus" .)) 0 }}
- key: nvidia.com/gpu
  effect: NoSchedule
  operator: Exists
{{- end }}
{{- with .Values.scheduling.tolerations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Volumes of the pods. */}}
{{- define "rlinf.volumes" -}}
- name: launch
  projected:
    sources:
      - configMap:
          name: {{ printf "%s-launch" (include "rlinf.fullname" .) | quote }}
          items:
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
      - configMap:
          name: {{ printf "%s-launch-engines" (include "rlinf.fullname" .) | quote }}
          items:
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
- name: tmp
  emptyDir: {}
- name: shm
  emptyDir:
    medium: Memory
    sizeLimit: {{ include "rlinf.sharedMemory" . | quote }}
{{- if not .Values.storage.checkpoints.volume }}
- name: runs
  persistentVolumeClaim:
    claimName: {{ default (printf "%s-runs" (include "rlinf.fullname" .)) .Values.storage.runs.existingClaim | quote }}
{{- end }}
{{- if eq (include "rlinf.hasFsx" .) "true" }}
- name: fsx
  persistentVolumeClaim:
    claimName: {{ default (printf "%s-fsx" (include "rlinf.fullname" .)) .Values.storage.fsx.existingClaim | quote }}
{{- end }}
{{- if .Values.storage.scratch.size }}
- name: scratch
  {{- if not .Values.storage.scratch.storageClassName }}
  emptyDir:
    sizeLimit: {{ .Values.storage.scratch.size | quote }}
  {{- end }}
  {{- if .Values.storage.scratch.storageClassName }}
  ephemeral:
    volumeClaimTemplate:
      spec:
        accessModes:
          - ReadWriteOnce
        resources:
          requests:
            storage: {{ .Values.storage.scratch.size | quote }}
        storageClassName: {{ .Values.storage.scratch.storageClassName | quote }}
  {{- end }}
{{- end }}
{{- range $key, $bucket := .Values.storage.s3 }}
- name: {{ printf "s3-%s" $key | quote }}
  persistentVolumeClaim:
    claimName: {{ printf "%s-s3-%s" (include "rlinf.fullname" $) $key | quote }}
{{- end }}
{{- range $key, $claim := .Values.storage.claims }}
- name: {{ printf "claims-%s" $key | quote }}
  persistentVolumeClaim:
    claimName: {{ $claim.claimName | quote }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Environment variables of the pods in which KubeRay's operator starts Ray. */}}
{{- define "rlinf.variables" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- if not (hasKey .Values.extraEnv "HOME") }}
- name: HOME
  value: /tmp
{{- end }}
{{- if not (hasKey .Values.extraEnv "USER") }}
- name: USER
  value: trainer
{{- end }}
{{- if .Values.ray.auth.enabled }}
- name: RAY_AUTH_MODE
  value: token
- name: RAY_AUTH_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ default (printf "%s-ray-token" (include "rlinf.fullname" .)) .Values.ray.auth.existingSecret | quote }}
      key: {{ ternary .Values.ray.auth.key "auth_token" (ne .Values.ray.auth.existingSecret "") | quote }}
{{- end }}
{{- if not (hasKey .Values.extraEnv "RAY_JOB_STOP_WAIT_TIME_S") }}
- name: RAY_JOB_STOP_WAIT_TIME_S
  value: {{ printf "%d" (int64 .Values.training.deadlines.stopSeconds) | quote }}
{{- end }}
{{- if not (hasKey .Values.extraEnv "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S") }}
- name: RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S
  value: "0"
{{- end }}
{{- if not (hasKey .Values.extraEnv "RAY_USAGE_STATS_ENABLED") }}
- name: RAY_USAGE_STATS_ENABLED
  value: "0"
{{- end }}
{{- if and .Values.secrets.huggingFace.name .Values.secrets.huggingFace.key }}
- name: HF_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.huggingFace.name | quote }}
      key: {{ .Values.secrets.huggingFace.key | quote }}
{{- end }}
{{- if and .Values.secrets.wandb.name .Values.secrets.wandb.key }}
- name: WANDB_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.wandb.name | quote }}
      key: {{ .Values.secrets.wandb.key | quote }}
{{- end }}
{{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.usernameKey }}
- name: MLFLOW_TRACKING_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.mlflow.name | quote }}
      key: {{ .Values.secrets.mlflow.usernameKey | quote }}
{{- end }}
{{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.passwordKey }}
- name: MLFLOW_TRACKING_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.mlflow.name | quote }}
      key: {{ .Values.secrets.mlflow.passwordKey | quote }}
{{- end }}
{{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.tokenKey }}
- name: MLFLOW_TRACKING_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.mlflow.name | quote }}
      key: {{ .Values.secrets.mlflow.tokenKey | quote }}
{{- end }}
{{- range $name, $value := fromYaml (include "rlinf.environment" .) }}
{{- if not (hasKey $.Values.extraEnv $name) }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.extraEnv }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* A pod in which KubeRay's operator starts Ray. */}}
{{- define "rlinf.rayPod" -}}
{{- with include "rlinf.affinity" . }}
affinity:
  {{- trim . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
containers:
  - name: trainer
    env:
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ printf "%s%s" .Values.image.repository (ternary (printf "@%s" .Values.image.digest) (printf ":%s" (default .Chart.AppVersion .Values.image.tag)) (ne .Values.image.digest "")) | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy | quote }}
    lifecycle:
      preStop:
        exec:
          command:
            - sh
            - /opt/rlinf/launch/launch.sh
            - stop
    livenessProbe:
      failureThreshold: 120
      httpGet:
        path: /api/local_raylet_healthz
        port: 52365
      initialDelaySeconds: 30
      periodSeconds: 5
      timeoutSeconds: 5
    ports:
      - name: gcs-server
        containerPort: {{ .Values.ray.port | int64 }}
      - name: dashboard
        containerPort: {{ .Values.ray.dashboardPort | int64 }}
      - name: metrics
        containerPort: {{ .Values.ray.metricsPort | int64 }}
    readinessProbe:
      failureThreshold: 10
      httpGet:
        path: /api/local_raylet_healthz
        port: 52365
      periodSeconds: 5
      timeoutSeconds: 5
    resources:
      {{- with include "rlinf.limits" . }}
      limits:
        {{- trim . | nindent 8 }}
      {{- end }}
      requests:
        {{- include "rlinf.requests" . | nindent 8 }}
    securityContext:
      {{- include "rlinf.containerSecurity" . | nindent 6 }}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
      {{- include "rlinf.volumeMounts" . | nindent 6 }}
enableServiceLinks: false
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range $secret := .Values.image.pullSecrets }}
  - name: {{ $secret | quote }}
  {{- end }}
{{- end }}
{{- if or .Values.extraInitContainers .Values.sidecars .Values.preflight.enabled }}
initContainers:
  {{- range $container := .Values.extraInitContainers }}
  - name: {{ $container.name | quote }}
    {{- if not (hasKey $container "securityContext") }}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities:
        drop:
          - ALL
      readOnlyRootFilesystem: {{ $.Values.podSecurity.readOnlyRootFilesystem }}
    {{- end }}
    {{- with omit $container "name" }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- range $sidecar := .Values.sidecars }}
  - name: {{ $sidecar.name | quote }}
    restartPolicy: Always
    {{- if not (hasKey $sidecar "securityContext") }}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities:
        drop:
          - ALL
      readOnlyRootFilesystem: {{ $.Values.podSecurity.readOnlyRootFilesystem }}
    {{- end }}
    {{- with omit $sidecar "name" "restartPolicy" }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- if .Values.preflight.enabled }}
  - name: preflight
    args:
      - preflight
    command:
      - sh
      - /opt/rlinf/launch/launch.sh
    env:
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ printf "%s%s" .Values.image.repository (ternary (printf "@%s" .Values.image.digest) (printf ":%s" (default .Chart.AppVersion .Values.image.tag)) (ne .Values.image.digest "")) | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy | quote }}
    resources:
      {{- with include "rlinf.limits" . }}
      limits:
        {{- trim . | nindent 8 }}
      {{- end }}
      requests:
        {{- include "rlinf.requests" . | nindent 8 }}
    securityContext:
      {{- include "rlinf.containerSecurity" . | nindent 6 }}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
      {{- include "rlinf.volumeMounts" . | nindent 6 }}
  {{- end }}
{{- end }}
{{- with include "rlinf.nodeSelector" . }}
nodeSelector:
  {{- trim . | nindent 2 }}
{{- end }}
{{- if .Values.scheduling.priorityClassName }}
priorityClassName: {{ .Values.scheduling.priorityClassName | quote }}
{{- end }}
{{- if default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName }}
schedulerName: {{ default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName | quote }}
{{- end }}
securityContext:
  {{- include "rlinf.podSecurity" . | nindent 2 }}
serviceAccountName: {{ default (ternary (include "rlinf.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name | quote }}
terminationGracePeriodSeconds: {{ add (int64 .Values.training.deadlines.stopSeconds) 10 }}
{{- with include "rlinf.tolerations" . }}
tolerations:
  {{- trim . | nindent 2 }}
{{- end }}
{{- with .Values.scheduling.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  {{- include "rlinf.volumes" . | nindent 2 }}
{{- end }}

{{/* A pod in which KubeRay's operator starts Ray. */}}
{{- define "rlinf.headPod" -}}
automountServiceAccountToken: false
containers:
  - name: trainer
    env:
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ printf "%s%s" .Values.image.repository (ternary (printf "@%s" .Values.image.digest) (printf ":%s" (default .Chart.AppVersion .Values.image.tag)) (ne .Values.image.digest "")) | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy | quote }}
    lifecycle:
      preStop:
        exec:
          command:
            - sh
            - /opt/rlinf/launch/launch.sh
            - stop
    livenessProbe:
      failureThreshold: 120
      httpGet:
        path: /api/local_raylet_healthz
        port: 52365
      initialDelaySeconds: 30
      periodSeconds: 5
      timeoutSeconds: 5
    ports:
      - name: gcs-server
        containerPort: {{ .Values.ray.port | int64 }}
      - name: dashboard
        containerPort: {{ .Values.ray.dashboardPort | int64 }}
      - name: metrics
        containerPort: {{ .Values.ray.metricsPort | int64 }}
    readinessProbe:
      failureThreshold: 10
      httpGet:
        path: /api/local_raylet_healthz
        port: 52365
      periodSeconds: 5
      timeoutSeconds: 5
    resources:
      limits:
        memory: {{ .Values.kuberay.head.memory | quote }}
      requests:
        cpu: {{ .Values.kuberay.head.cpu | quote }}
        memory: {{ .Values.kuberay.head.memory | quote }}
    securityContext:
      {{- include "rlinf.containerSecurity" . | nindent 6 }}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
      {{- include "rlinf.volumeMounts" . | nindent 6 }}
enableServiceLinks: false
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range $secret := .Values.image.pullSecrets }}
  - name: {{ $secret | quote }}
  {{- end }}
{{- end }}
{{- if or .Values.extraInitContainers .Values.sidecars }}
initContainers:
  {{- range $container := .Values.extraInitContainers }}
  - name: {{ $container.name | quote }}
    {{- if not (hasKey $container "securityContext") }}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities:
        drop:
          - ALL
      readOnlyRootFilesystem: {{ $.Values.podSecurity.readOnlyRootFilesystem }}
    {{- end }}
    {{- with omit $container "name" }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- range $sidecar := .Values.sidecars }}
  - name: {{ $sidecar.name | quote }}
    restartPolicy: Always
    {{- if not (hasKey $sidecar "securityContext") }}
    securityContext:
      allowPrivilegeEscalation: false
      capabilities:
        drop:
          - ALL
      readOnlyRootFilesystem: {{ $.Values.podSecurity.readOnlyRootFilesystem }}
    {{- end }}
    {{- with omit $sidecar "name" "restartPolicy" }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- with .Values.kuberay.head.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.scheduling.priorityClassName }}
priorityClassName: {{ .Values.scheduling.priorityClassName | quote }}
{{- end }}
{{- if default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName }}
schedulerName: {{ default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName | quote }}
{{- end }}
securityContext:
  {{- include "rlinf.podSecurity" . | nindent 2 }}
serviceAccountName: {{ default (ternary (include "rlinf.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name | quote }}
terminationGracePeriodSeconds: {{ add (int64 .Values.training.deadlines.stopSeconds) 10 }}
{{- with .Values.scheduling.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  {{- include "rlinf.volumes" . | nindent 2 }}
{{- end }}

{{/* A pod in which KubeRay's operator submits the job. */}}
{{- define "rlinf.submitterPod" -}}
automountServiceAccountToken: false
containers:
  - name: trainer
    env:
      - name: POD_NAME
        valueFrom:
          fieldRef:
            fieldPath: metadata.name
      - name: POD_NAMESPACE
        valueFrom:
          fieldRef:
            fieldPath: metadata.namespace
      - name: POD_IP
        valueFrom:
          fieldRef:
            fieldPath: status.podIP
      {{- if not (hasKey .Values.extraEnv "HOME") }}
      - name: HOME
        value: /tmp
      {{- end }}
      {{- if not (hasKey .Values.extraEnv "USER") }}
      - name: USER
        value: trainer
      {{- end }}
      {{- if .Values.ray.auth.enabled }}
      - name: RAY_AUTH_MODE
        value: token
      - name: RAY_AUTH_TOKEN
        valueFrom:
          secretKeyRef:
            name: {{ default (printf "%s-ray-token" (include "rlinf.fullname" .)) .Values.ray.auth.existingSecret | quote }}
            key: {{ ternary .Values.ray.auth.key "auth_token" (ne .Values.ray.auth.existingSecret "") | quote }}
      {{- end }}
      {{- if and .Values.secrets.huggingFace.name .Values.secrets.huggingFace.key }}
      - name: HF_TOKEN
        valueFrom:
          secretKeyRef:
            name: {{ .Values.secrets.huggingFace.name | quote }}
            key: {{ .Values.secrets.huggingFace.key | quote }}
      {{- end }}
      {{- if and .Values.secrets.wandb.name .Values.secrets.wandb.key }}
      - name: WANDB_API_KEY
        valueFrom:
          secretKeyRef:
            name: {{ .Values.secrets.wandb.name | quote }}
            key: {{ .Values.secrets.wandb.key | quote }}
      {{- end }}
      {{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.usernameKey }}
      - name: MLFLOW_TRACKING_USERNAME
        valueFrom:
          secretKeyRef:
            name: {{ .Values.secrets.mlflow.name | quote }}
            key: {{ .Values.secrets.mlflow.usernameKey | quote }}
      {{- end }}
      {{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.passwordKey }}
      - name: MLFLOW_TRACKING_PASSWORD
        valueFrom:
          secretKeyRef:
            name: {{ .Values.secrets.mlflow.name | quote }}
            key: {{ .Values.secrets.mlflow.passwordKey | quote }}
      {{- end }}
      {{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.tokenKey }}
      - name: MLFLOW_TRACKING_TOKEN
        valueFrom:
          secretKeyRef:
            name: {{ .Values.secrets.mlflow.name | quote }}
            key: {{ .Values.secrets.mlflow.tokenKey | quote }}
      {{- end }}
      {{- range $name, $value := fromYaml (include "rlinf.environment" .) }}
      {{- if not (hasKey $.Values.extraEnv $name) }}
      - name: {{ $name | quote }}
        value: {{ $value | quote }}
      {{- end }}
      {{- end }}
      {{- range $name, $value := .Values.extraEnv }}
      - name: {{ $name | quote }}
        value: {{ $value | quote }}
      {{- end }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ printf "%s%s" .Values.image.repository (ternary (printf "@%s" .Values.image.digest) (printf ":%s" (default .Chart.AppVersion .Values.image.tag)) (ne .Values.image.digest "")) | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy | quote }}
    resources:
      limits:
        memory: 1Gi
      requests:
        cpu: 100m
        memory: 256Mi
    securityContext:
      {{- include "rlinf.containerSecurity" . | nindent 6 }}
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
      {{- include "rlinf.volumeMounts" . | nindent 6 }}
enableServiceLinks: false
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range $secret := .Values.image.pullSecrets }}
  - name: {{ $secret | quote }}
  {{- end }}
{{- end }}
{{- with include "rlinf.nodeSelector" . }}
nodeSelector:
  {{- trim . | nindent 2 }}
{{- end }}
{{- if .Values.scheduling.priorityClassName }}
priorityClassName: {{ .Values.scheduling.priorityClassName | quote }}
{{- end }}
restartPolicy: Never
{{- if default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName }}
schedulerName: {{ default (ternary "volcano" "" (ne .Values.scheduling.volcanoQueue "")) .Values.scheduling.schedulerName | quote }}
{{- end }}
securityContext:
  {{- include "rlinf.podSecurity" . | nindent 2 }}
serviceAccountName: {{ default (ternary (include "rlinf.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name | quote }}
terminationGracePeriodSeconds: {{ add (int64 .Values.training.deadlines.stopSeconds) 10 }}
{{- with include "rlinf.tolerations" . }}
tolerations:
  {{- trim . | nindent 2 }}
{{- end }}
volumes:
  {{- include "rlinf.volumes" . | nindent 2 }}
{{- end }}
