{{/* Which nodes and neighbours the pods look for, and which they avoid. */}}
{{- define "rlinf.affinity" -}}
{{- if or (eq (include "rlinf.prefersNearbyNodes" .) "true") (eq (include "rlinf.keepsInOneZone" .) "true") }}
podAffinity:
  {{- if eq (include "rlinf.prefersNearbyNodes" .) "true" }}
  preferredDuringSchedulingIgnoredDuringExecution:
    - podAffinityTerm:
        labelSelector:
          matchLabels:
            {{- if eq (include "rlinf.hasSeparateHead" .) "true" }}
            ray.io/group: workers
            {{- end }}
            {{- include "rlinf.selectorLabels" . | nindent 12 }}
        topologyKey: topology.k8s.aws/network-node-layer-3
      weight: 100
    - podAffinityTerm:
        labelSelector:
          matchLabels:
            {{- if eq (include "rlinf.hasSeparateHead" .) "true" }}
            ray.io/group: workers
            {{- end }}
            {{- include "rlinf.selectorLabels" . | nindent 12 }}
        topologyKey: topology.k8s.aws/network-node-layer-2
      weight: 50
    - podAffinityTerm:
        labelSelector:
          matchLabels:
            {{- if eq (include "rlinf.hasSeparateHead" .) "true" }}
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
          {{- if eq (include "rlinf.hasSeparateHead" .) "true" }}
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

{{/* Environment variables of all pods. */}}
{{- define "rlinf.variables" -}}
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
      name: {{ include "rlinf.tokenSecret" . | quote }}
      key: {{ ternary .Values.ray.auth.key "auth_token" (ne .Values.ray.auth.existingSecret "") | quote }}
{{- end }}
{{- if and .Values.secrets.huggingFace.name .Values.secrets.huggingFace.key (not (hasKey .Values.extraEnv "HF_TOKEN")) }}
- name: HF_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.huggingFace.name | quote }}
      key: {{ .Values.secrets.huggingFace.key | quote }}
{{- end }}
{{- if and .Values.secrets.wandb.name .Values.secrets.wandb.key (not (hasKey .Values.extraEnv "WANDB_API_KEY")) }}
- name: WANDB_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.wandb.name | quote }}
      key: {{ .Values.secrets.wandb.key | quote }}
{{- end }}
{{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.usernameKey (not (hasKey .Values.extraEnv "MLFLOW_TRACKING_USERNAME")) }}
- name: MLFLOW_TRACKING_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.mlflow.name | quote }}
      key: {{ .Values.secrets.mlflow.usernameKey | quote }}
{{- end }}
{{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.passwordKey (not (hasKey .Values.extraEnv "MLFLOW_TRACKING_PASSWORD")) }}
- name: MLFLOW_TRACKING_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.mlflow.name | quote }}
      key: {{ .Values.secrets.mlflow.passwordKey | quote }}
{{- end }}
{{- if and .Values.secrets.mlflow.name .Values.secrets.mlflow.tokenKey (not (hasKey .Values.extraEnv "MLFLOW_TRACKING_TOKEN")) }}
- name: MLFLOW_TRACKING_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.mlflow.name | quote }}
      key: {{ .Values.secrets.mlflow.tokenKey | quote }}
{{- end }}
{{- range $name, $value := .Values.extraEnv }}
{{- if kindIs "map" $value }}
- name: {{ $name | quote }}
  {{- with dig "valueFrom" dict $value }}
  valueFrom:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := fromYaml (include "rlinf.environment" .) }}
{{- if not (hasKey $.Values.extraEnv $name) }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.extraEnv }}
{{- if kindIs "string" $value }}
- name: {{ $name | quote }}
  value: {{ $value | quote }}
{{- end }}
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
{{- if .Values.storage.scratch.size }}
- name: scratch
  mountPath: /scratch
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Containers of the user's, before the trainer and beside it. */}}
{{- define "rlinf.extraContainers" -}}
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
  {{- toYaml . | nindent 2 }}
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
  {{- toYaml . | nindent 2 }}
  {{- end }}
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
            {{- include "rlinf.launchItems" . | nindent 12 }}
      - configMap:
          name: {{ printf "%s-launch-engines" (include "rlinf.fullname" .) | quote }}
          items:
            {{- include "rlinf.enginesItems" . | nindent 12 }}
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
{{- if and (eq .Values.mode "raycluster") .Values.kuberay.autoscaler.enabled }}
- name: account-token
  projected:
    sources:
      - serviceAccountToken:
          path: token
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
      - downwardAPI:
          items:
            - fieldRef:
                fieldPath: metadata.namespace
              path: namespace
{{- end }}
{{- end }}

{{/* Scratch space of a node. */}}
{{- define "rlinf.scratch" -}}
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
{{- end }}

{{/* Ray's autoscaler, beside the head. */}}
{{- define "rlinf.autoscaler" -}}
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
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
        name: {{ include "rlinf.tokenSecret" . | quote }}
        key: {{ ternary .Values.ray.auth.key "auth_token" (ne .Values.ray.auth.existingSecret "") | quote }}
  {{- end }}
  {{- range $name, $value := .Values.extraEnv }}
  {{- if kindIs "map" $value }}
  - name: {{ $name | quote }}
    {{- with dig "valueFrom" dict $value }}
    valueFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  {{- end }}
  {{- end }}
  {{- range $name, $value := fromYaml (include "rlinf.environment" .) }}
  {{- if not (hasKey $.Values.extraEnv $name) }}
  - name: {{ $name | quote }}
    value: {{ $value | quote }}
  {{- end }}
  {{- end }}
  {{- range $name, $value := .Values.extraEnv }}
  {{- if kindIs "string" $value }}
  - name: {{ $name | quote }}
    value: {{ $value | quote }}
  {{- end }}
  {{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
idleTimeoutSeconds: {{ .Values.kuberay.autoscaler.idleSeconds | int64 }}
imagePullPolicy: {{ .Values.image.pullPolicy | quote }}
resources:
  limits:
    memory: {{ .Values.kuberay.autoscaler.memory | quote }}
  requests:
    cpu: {{ .Values.kuberay.autoscaler.cpu | quote }}
    memory: {{ .Values.kuberay.autoscaler.memory | quote }}
securityContext:
  {{- include "rlinf.containerSecurity" . | nindent 2 }}
version: v2
volumeMounts:
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
  {{- if .Values.storage.scratch.size }}
  - name: scratch
    mountPath: /scratch
  {{- end }}
  - name: account-token
    mountPath: /var/run/secrets/kubernetes.io/serviceaccount
    readOnly: true
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* A node whose Ray KubeRay's operator starts. */}}
{{- define "rlinf.rayPod" -}}
{{- with include "rlinf.affinity" . }}
affinity:
  {{- trim . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
containers:
  - name: trainer
    env:
      - name: POD_NAME
        valueFrom:
          fieldRef:
            fieldPath: metadata.name
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
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ include "rlinf.image" . | quote }}
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
{{- if or (fromYamlArray (include "rlinf.extraContainers" .)) .Values.preflight.enabled }}
initContainers:
  {{- with include "rlinf.extraContainers" . }}
  {{- trim . | nindent 2 }}
  {{- end }}
  {{- if .Values.preflight.enabled }}
  - name: preflight
    args:
      - preflight
    command:
      - sh
      - /opt/rlinf/launch/launch.sh
    env:
      - name: POD_NAME
        valueFrom:
          fieldRef:
            fieldPath: metadata.name
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
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ include "rlinf.image" . | quote }}
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
{{- if .Values.scheduling.runtimeClassName }}
runtimeClassName: {{ .Values.scheduling.runtimeClassName | quote }}
{{- end }}
{{- if include "rlinf.schedulerName" . }}
schedulerName: {{ include "rlinf.schedulerName" . | quote }}
{{- end }}
securityContext:
  {{- include "rlinf.podSecurity" . | nindent 2 }}
serviceAccountName: {{ include "rlinf.serviceAccountName" . | quote }}
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
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with include "rlinf.scratch" . }}
  {{- trim . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* A head that only directs the nodes, whose Ray KubeRay's operator starts. */}}
{{- define "rlinf.headPod" -}}
automountServiceAccountToken: false
containers:
  - name: trainer
    env:
      - name: POD_NAME
        valueFrom:
          fieldRef:
            fieldPath: metadata.name
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
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ include "rlinf.image" . | quote }}
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
{{- with include "rlinf.extraContainers" . }}
initContainers:
  {{- trim . | nindent 2 }}
{{- end }}
{{- with .Values.kuberay.head.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.scheduling.priorityClassName }}
priorityClassName: {{ .Values.scheduling.priorityClassName | quote }}
{{- end }}
{{- if include "rlinf.schedulerName" . }}
schedulerName: {{ include "rlinf.schedulerName" . | quote }}
{{- end }}
securityContext:
  {{- include "rlinf.podSecurity" . | nindent 2 }}
serviceAccountName: {{ include "rlinf.serviceAccountName" . | quote }}
terminationGracePeriodSeconds: {{ add (int64 .Values.training.deadlines.stopSeconds) 10 }}
{{- with .Values.scheduling.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  {{- include "rlinf.volumes" . | nindent 2 }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- if .Values.storage.scratch.size }}
  - name: scratch
    emptyDir: {}
  {{- end }}
{{- end }}

{{/* A pod in which KubeRay's operator submits the job. */}}
{{- define "rlinf.submitterPod" -}}
{{- if eq (include "rlinf.staysBesideTheNode" .) "true" }}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        {{- if include "rlinf.neighbourLabels" . }}
        labelSelector:
          {{- with include "rlinf.neighbourLabels" . }}
          matchLabels:
            {{- trim . | nindent 12 }}
          {{- end }}
        {{- end }}
{{- end }}
automountServiceAccountToken: false
containers:
  - name: trainer
    env:
      - name: POD_NAME
        valueFrom:
          fieldRef:
            fieldPath: metadata.name
      {{- include "rlinf.variables" . | nindent 6 }}
    {{- with .Values.extraEnvFrom }}
    envFrom:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    image: {{ include "rlinf.image" . | quote }}
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
{{- if .Values.scheduling.runtimeClassName }}
runtimeClassName: {{ .Values.scheduling.runtimeClassName | quote }}
{{- end }}
{{- if include "rlinf.schedulerName" . }}
schedulerName: {{ include "rlinf.schedulerName" . | quote }}
{{- end }}
securityContext:
  {{- include "rlinf.podSecurity" . | nindent 2 }}
serviceAccountName: {{ include "rlinf.serviceAccountName" . | quote }}
terminationGracePeriodSeconds: {{ add (int64 .Values.training.deadlines.stopSeconds) 10 }}
{{- with include "rlinf.tolerations" . }}
tolerations:
  {{- trim . | nindent 2 }}
{{- end }}
volumes:
  {{- include "rlinf.volumes" . | nindent 2 }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- if .Values.storage.scratch.size }}
  - name: scratch
    emptyDir: {}
  {{- end }}
{{- end }}
