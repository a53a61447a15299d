"""The chart's manifests as plans of pods; what local cannot run is refused by name."""

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rlinf_charts.local.environment import Sources, expand, lookup, resolve
from rlinf_charts.local.errors import LocalError

# Kubernetes' business: it changes where and how well a container is kept, not what it runs.
IGNORED_KINDS = {
    *("Ingress", "NetworkPolicy", "PersistentVolume", "PersistentVolumeClaim", "PodDisruptionBudget", "PodGroup"),
    *("PodMonitor", "Service", "ServiceAccount"),
}
IGNORED_FIELDS = {
    "StatefulSet": {
        *("minReadySeconds", "persistentVolumeClaimRetentionPolicy", "podManagementPolicy"),
        *("revisionHistoryLimit", "selector", "updateStrategy"),
    },
    "pod": {
        *("affinity", "automountServiceAccountToken", "dnsConfig", "dnsPolicy", "enableServiceLinks"),
        *("imagePullSecrets", "nodeSelector", "priorityClassName", "restartPolicy", "runtimeClassName"),
        *("schedulerName", "securityContext", "serviceAccountName", "terminationGracePeriodSeconds"),
        *("tolerations", "topologySpreadConstraints"),
    },
    "container": {
        *("image", "imagePullPolicy", "livenessProbe", "ports", "readinessProbe", "resources"),
        *("securityContext", "startupProbe", "terminationMessagePolicy"),
    },
    "mount": {"readOnly", "recursiveReadOnly"},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """One file of a ConfigMap or Secret volume."""

    text: str
    mode: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Volume:
    """A volume of a pod: a claim, files, or when it has neither, an emptyDir or ephemeral volume."""

    claim: str | None = None
    files: Mapping[str, File] | None = None
    """Path inside the volume -> file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """Where a container sees a volume, or a folder of it."""

    path: str
    volume: str
    sub_path: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Container:
    """What a container runs, with the paths and names of Kubernetes."""

    name: str
    argv: list[str]
    env: Mapping[str, str]
    working_dir: str | None
    mounts: list[Mount]
    termination_log: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pod:
    """A pod that local runs, on a loopback address of its own."""

    name: str
    ip: str
    host_names: list[str]
    """The pod's names under its headless Service."""
    volumes: Mapping[str, Volume]
    containers: list[Container]
    """The main one first, then sidecars."""
    init_containers: list[Container] = field(default_factory=list[Container])
    """They run one after the other, each to its end, before the others start."""

    @property
    def all_containers(self) -> list[Container]:
        """In the order in which they start."""
        return [*self.init_containers, *self.containers]


def plan_pods(manifests: Iterable[Mapping[str, Any]], *, namespace: str) -> list[Pod]:
    """Return the pods of the chart's StatefulSets, in order; the addresses are 127.0.0.2, 127.0.0.3, ...

    Not 127.0.0.1: Ray takes it for "this machine" and puts the address of an outer network interface in its place.

    Raises:
        LocalError: For a kind or field that local does not support, or a reference to nothing.
    """
    objects = [item for item in manifests if "helm.sh/hook" not in item["metadata"].get("annotations", {})]
    sources = {(item["kind"], item["metadata"]["name"]): _texts(item) for item in objects}
    pods: list[Pod] = []
    for item in objects:
        kind, name = item["kind"], item["metadata"]["name"]
        if kind == "StatefulSet":
            pods.extend(_stateful_set_pods(item, sources, namespace=namespace, first_address=len(pods) + 2))
        elif kind not in IGNORED_KINDS | {"ConfigMap", "Secret"}:
            raise LocalError(
                f"local runs StatefulSets; this chart renders {kind}/{name}: use --set mode=statefulset, or a cluster"
            )
    if not pods:
        raise LocalError("local runs StatefulSets; this chart renders none with a replica: use --set mode=statefulset")
    return pods


def _texts(item: Mapping[str, Any]) -> dict[str, str]:
    """The keys and texts of a ConfigMap or Secret, nothing for other kinds."""
    where = f"{item['kind']}/{item['metadata']['name']}"
    if item["kind"] == "ConfigMap":
        _refuse_unknown(item, "ConfigMap", where, {"apiVersion", "kind", "metadata", "data", "immutable"})
        return dict(item.get("data", {}))
    if item["kind"] == "Secret":
        decoded = {key: base64.b64decode(value).decode() for key, value in item.get("data", {}).items()}
        return decoded | item.get("stringData", {})
    return {}


def _stateful_set_pods(
    item: Mapping[str, Any], sources: Sources, *, namespace: str, first_address: int
) -> Iterator[Pod]:
    name, spec = item["metadata"]["name"], item["spec"]
    _refuse_unknown(spec, "StatefulSet", f"StatefulSet/{name}", {"replicas", "serviceName", "template"})
    for index in range(spec.get("replicas", 1)):
        pod_name, template_metadata = f"{name}-{index}", spec["template"].get("metadata", {})
        yield _pod(
            spec["template"]["spec"],
            metadata={
                "name": pod_name,
                "namespace": namespace,
                "annotations": template_metadata.get("annotations", {}),
                "labels": template_metadata.get("labels", {})
                | {"apps.kubernetes.io/pod-index": str(index), "statefulset.kubernetes.io/pod-name": pod_name},
            },
            service=spec["serviceName"],
            ip=f"127.0.0.{first_address + index}",
            sources=sources,
            where=f"StatefulSet/{name}",
        )


def _pod(
    spec: Mapping[str, Any], *, metadata: Mapping[str, Any], service: str, ip: str, sources: Sources, where: str
) -> Pod:
    _refuse_unknown(spec, "pod", where, {"containers", "initContainers", "volumes"})
    fields = _downward_fields(metadata, ip) | {"spec.serviceAccountName": spec.get("serviceAccountName", "default")}
    # Without a probe to wait for, a sidecar can as well start with the others.
    sidecars = [raw for raw in spec.get("initContainers", []) if raw.get("restartPolicy") == "Always"]
    init = [raw for raw in spec.get("initContainers", []) if raw not in sidecars]

    def containers(raws: Iterable[Mapping[str, Any]]) -> list[Container]:
        return [_container(raw, sources=sources, fields=fields, where=where) for raw in raws]

    domain = [service, metadata["namespace"], "svc", "cluster.local"]
    return Pod(
        name=metadata["name"],
        ip=ip,
        host_names=[".".join([metadata["name"], *domain[:length]]) for length in range(1, len(domain) + 1)],
        volumes={raw["name"]: _volume(raw, sources, where) for raw in spec.get("volumes", [])},
        init_containers=containers(init),
        containers=containers([*spec["containers"], *sidecars]),
    )


def _downward_fields(metadata: Mapping[str, Any], ip: str) -> dict[str, str]:
    """Field paths of the downward API and their values."""
    keyed = {
        f"metadata.{kind}['{key}']": value
        for kind in ("labels", "annotations")
        for key, value in metadata[kind].items()
    }
    return keyed | {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "status.podIP": ip,
        "status.hostIP": ip,
        "spec.nodeName": "localhost",
    }


def _container(raw: Mapping[str, Any], *, sources: Sources, fields: Mapping[str, str], where: str) -> Container:
    where = f"{where}, container {raw['name']}"
    read = {"args", "command", "env", "envFrom", "name", "restartPolicy", "terminationMessagePath"}
    _refuse_unknown(raw, "container", where, {*read, "volumeMounts", "workingDir"})
    if not raw.get("command"):
        raise LocalError(f"{where}: local has no images, so it needs a `command`; set one, or use a cluster")
    env = resolve(raw, sources=sources, fields=fields, where=where)
    return Container(
        name=raw["name"],
        argv=[expand(word, env) for word in [*raw["command"], *raw.get("args", [])]],
        env=env,
        working_dir=raw.get("workingDir"),
        mounts=[_mount(mount, where) for mount in raw.get("volumeMounts", [])],
        termination_log=raw.get("terminationMessagePath", "/dev/termination-log"),
    )


def _mount(raw: Mapping[str, Any], where: str) -> Mount:
    _refuse_unknown(raw, "mount", f"{where}, mount {raw['mountPath']}", {"mountPath", "name", "subPath"})
    path = raw["mountPath"].rstrip("/")
    if not path.startswith("/"):
        raise LocalError(f"{where}: local cannot mount at {raw['mountPath']}; use an absolute path below /")
    return Mount(path=path, volume=raw["name"], sub_path=raw.get("subPath", ""))


def _volume(raw: Mapping[str, Any], sources: Sources, where: str) -> Volume:
    where = f"{where}, volume {raw['name']}"
    known = {"configMap", "emptyDir", "ephemeral", "persistentVolumeClaim", "secret"}
    projected: list[Mapping[str, Any]] = raw.get("projected", {}).get("sources", [])
    # The sources that are left are tokens and the like, which only a cluster gives.
    if projected and all(source.keys() <= {"configMap", "secret"} for source in projected):
        known.add("projected")
    _refuse_unknown(raw, "volume", where, {"name", *known})
    if "persistentVolumeClaim" in raw:
        return Volume(claim=raw["persistentVolumeClaim"]["claimName"])
    if "secret" in raw:
        return Volume(files=_files(raw["secret"], "Secret", raw["secret"]["secretName"], sources, where))
    if projected:
        return Volume(files=_projected_files(raw["projected"], sources, where))
    if "configMap" in raw:
        return Volume(files=_files(raw["configMap"], "ConfigMap", raw["configMap"]["name"], sources, where))
    return Volume()


def _projected_files(raw: Mapping[str, Any], sources: Sources, where: str) -> dict[str, File]:
    """Of several ConfigMaps and Secrets in one folder; the mode is the volume's."""
    files: dict[str, File] = {}
    for source in raw["sources"]:
        for origin, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
            if origin in source:
                reference = {"defaultMode": raw.get("defaultMode", 0o644), **source[origin]}
                files |= _files(reference, kind, reference["name"], sources, where)
    return files


def _files(raw: Mapping[str, Any], kind: str, name: str, sources: Sources, where: str) -> dict[str, File]:
    data = lookup(sources, kind, name, optional=raw.get("optional", False), where=where)
    default_mode: int = raw.get("defaultMode", 0o644)
    items: list[dict[str, Any]] = raw.get("items") or [{"key": key, "path": key} for key in data]
    for item in items:
        if item["key"] not in data:
            raise LocalError(f"{where}: {kind}/{name} has no key {item['key']}; it has {', '.join(data)}")
    return {item["path"]: File(text=data[item["key"]], mode=item.get("mode", default_mode)) for item in items}


def _refuse_unknown(raw: Mapping[str, Any], kind: str, where: str, read: set[str]) -> None:
    """Refuse the first field that is neither read nor ignored; an empty one asks for nothing."""
    for name, value in raw.items():
        if value and name not in read | IGNORED_FIELDS.get(kind, set()):
            raise LocalError(f"{where}: local does not support `{name}`; leave it out, or use a cluster")
