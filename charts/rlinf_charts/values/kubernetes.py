"""Pieces of Kubernetes' own objects that users write as Kubernetes does: what its API server would refuse later on.

To the chart each is a map that it hands on; only its schema says more.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

from rlinf_charts.values.section import DNS_LABEL, LABEL_KEY, LABEL_VALUE, SUBDOMAIN, VARIABLE

_Schema = dict[str, Any]

_BYTE = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"({_BYTE}\.){{3}}{_BYTE}/(3[0-2]|[12]?[0-9])"
_IPV6 = r"([0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}"
CIDR = rf"^({_IPV4}|({_IPV6})/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$"


def _text(pattern: str, longest: int) -> _Schema:
    return {"type": "string", "pattern": pattern, "maxLength": longest}


def _one_of(*words: str) -> _Schema:
    return {"type": "string", "enum": list(words)}


def _whole(least: int, most: int = 2**31 - 1) -> _Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _list_of(item: _Schema, *, least: int = 0) -> _Schema:
    return {"type": "array", "items": item, "minItems": least}


def _object(required: tuple[str, ...] = (), /, **properties: _Schema) -> _Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_KEY = _text(LABEL_KEY, 317)
_VALUE = _text(LABEL_VALUE, 63)
_NAME = _text(rf"^{SUBDOMAIN}$", 253)
_PORT = _whole(1, 65535)
_WEIGHT = _whole(1, 100)
_SETS = ("In", "NotIn", "Exists", "DoesNotExist")


def _requirement(*operators: str) -> _Schema:
    return {
        **_object(("key", "operator"), key=_KEY, operator=_one_of(*operators), values=_list_of(_VALUE)),
        "if": {"properties": {"operator": _one_of("Exists", "DoesNotExist")}},
        "then": {"properties": {"values": {"maxItems": 0}}},
        "else": {"required": ["values"], "properties": {"values": {"minItems": 1}}},
    }


_SELECTOR = _object(
    matchLabels={"type": "object", "patternProperties": {LABEL_KEY: _VALUE}, "additionalProperties": False},
    matchExpressions=_list_of(_requirement(*_SETS)),
)
_COUNTED = {
    **_SELECTOR,
    "description": "Labels of the pods that count: none without it, and the rest does nothing. The release's own are "
    "{matchLabels: {app.kubernetes.io/instance: RELEASE}}.",
}
_NODE_TERM = _object(
    matchExpressions=_list_of(_requirement(*_SETS, "Gt", "Lt")),
    matchFields=_list_of(
        _object(
            ("key", "operator", "values"),
            key=_one_of("metadata.name"),
            operator=_one_of("In", "NotIn"),
            values=_list_of(_NAME, least=1),
        )
    ),
)
_POD_TERM = _object(
    ("topologyKey", "labelSelector"),
    topologyKey=_KEY,
    labelSelector=_COUNTED,
    namespaceSelector=_SELECTOR,
    namespaces=_list_of(_text(DNS_LABEL, 63)),
    matchLabelKeys=_list_of(_KEY),
    mismatchLabelKeys=_list_of(_KEY),
)
_POD_AFFINITY = _object(
    requiredDuringSchedulingIgnoredDuringExecution=_list_of(_POD_TERM),
    preferredDuringSchedulingIgnoredDuringExecution=_list_of(
        _object(("weight", "podAffinityTerm"), weight=_WEIGHT, podAffinityTerm=_POD_TERM)
    ),
)
_NODE_AFFINITY = _object(
    requiredDuringSchedulingIgnoredDuringExecution=_object(
        ("nodeSelectorTerms",), nodeSelectorTerms=_list_of(_NODE_TERM, least=1)
    ),
    preferredDuringSchedulingIgnoredDuringExecution=_list_of(
        _object(("weight", "preference"), weight=_WEIGHT, preference=_NODE_TERM)
    ),
)
_CIDR = {
    "type": "string",
    "pattern": CIDR,
    "description": "Addresses with the length of their common prefix, such as 10.0.0.0/16 or fd00::/8.",
}
_BY_NAME = _object(("name",), name=_NAME, optional={"type": "boolean"})
_BY_KEY = _object(("name", "key"), name=_NAME, key=_text(r"^[-._a-zA-Z0-9]+$", 253), optional={"type": "boolean"})
_FIELD = (
    r"^(metadata\.(name|namespace|uid|(labels|annotations)\['[-./_a-zA-Z0-9]+'\])|spec\.(nodeName|serviceAccountName)|"
    r"status\.(hostIPs?|podIPs?))$"
)
_AMOUNT = {"type": ["integer", "string"], "pattern": r"^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$"}
_VALUE_FROM = {
    **_object(
        secretKeyRef=_BY_KEY,
        configMapKeyRef=_BY_KEY,
        fieldRef=_object(("fieldPath",), fieldPath=_text(_FIELD, 317), apiVersion=_one_of("v1")),
        resourceFieldRef=_object(
            ("resource",),
            resource=_text(r"^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-[a-zA-Z0-9]+)$", 63),
            containerName=_text(DNS_LABEL, 63),
            divisor=_AMOUNT,
        ),
    ),
    "minProperties": 1,
    "maxProperties": 1,
}
_ENV_FROM = _object(
    prefix={"type": "string", "pattern": r"^[-._a-zA-Z0-9]*$"}, secretRef=_BY_NAME, configMapRef=_BY_NAME
)

Toleration = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _object(
            key=_KEY,
            operator=_one_of("Exists", "Equal"),
            value=_VALUE,
            effect=_one_of("NoSchedule", "PreferNoSchedule", "NoExecute"),
            tolerationSeconds=_whole(-(2**31)),
        )
    ),
]
Affinity = Annotated[
    dict[str, Any],
    WithJsonSchema(_object(nodeAffinity=_NODE_AFFINITY, podAffinity=_POD_AFFINITY, podAntiAffinity=_POD_AFFINITY)),
]
TopologySpread = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _object(
            ("maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector"),
            maxSkew=_whole(1),
            topologyKey=_KEY,
            whenUnsatisfiable=_one_of("DoNotSchedule", "ScheduleAnyway"),
            labelSelector=_COUNTED,
            minDomains=_whole(1),
            matchLabelKeys=_list_of(_KEY),
            nodeAffinityPolicy=_one_of("Honor", "Ignore"),
            nodeTaintsPolicy=_one_of("Honor", "Ignore"),
        )
    ),
]
Peer = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _object(
            podSelector=_SELECTOR,
            namespaceSelector=_SELECTOR,
            ipBlock=_object(("cidr",), cidr=_CIDR, **{"except": _list_of(_CIDR)}),
        )
    ),
]
PolicyPort = Annotated[
    dict[str, Any],
    WithJsonSchema(
        _object(
            # A number, or the name that a container gives it.
            port={**_text(DNS_LABEL, 15), **_PORT, "type": ["integer", "string"]},
            endPort=_PORT,
            protocol=_one_of("TCP", "UDP", "SCTP"),
        )
        | {"if": {"required": ["endPort"]}, "then": {"required": ["port"], "properties": {"port": {"type": "integer"}}}}
    ),
]
Variables = Annotated[
    dict[str, str | dict[str, Any]],
    WithJsonSchema(
        {
            "type": "object",
            "patternProperties": {
                VARIABLE: {**_object(("valueFrom",), valueFrom=_VALUE_FROM), "type": ["string", "object"]}
            },
            "additionalProperties": False,
        }
    ),
]
EnvFrom = Annotated[
    dict[str, Any],
    WithJsonSchema(_ENV_FROM),
]

_ANY, _TEXT, _SWITCH = {"type": "object"}, {"type": "string"}, {"type": "boolean"}


def _open(required: tuple[str, ...] = (), /, **properties: _Schema) -> _Schema:
    """An object with more keys than we name."""
    return {"type": "object", "properties": properties, "required": list(required)}


VOLUME_SOURCES: _Schema = {
    **dict.fromkeys(
        (
            *("csi", "downwardAPI", "ephemeral", "fc", "image", "iscsi", "nfs", "projected"),
            # Of drivers that were once inside of Kubernetes.
            *("awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "flexVolume", "flocker"),
            *("gcePersistentDisk", "gitRepo", "glusterfs", "photonPersistentDisk", "portworxVolume", "quobyte", "rbd"),
            *("scaleIO", "storageos", "vsphereVolume"),
        ),
        _ANY,
    ),
    "configMap": _open(("name",), name=_NAME),
    "emptyDir": _open(medium={"type": "string", "pattern": r"^(Memory|HugePages(-.+)?)?$"}, sizeLimit=_AMOUNT),
    "hostPath": _open(("path",), path=_TEXT),
    "persistentVolumeClaim": _open(("claimName",), claimName=_NAME),
    "secret": _open(("secretName",), secretName=_NAME),
}
CONTAINER_FIELDS: _Schema = {
    **dict.fromkeys(("args", "command"), _list_of(_TEXT)),
    "env": _list_of(_object(("name",), name=_TEXT, value=_TEXT, valueFrom=_ANY)),
    "envFrom": _list_of(_ENV_FROM),
    **dict.fromkeys(("resizePolicy", "restartPolicyRules", "volumeDevices"), _list_of(_ANY)),
    **dict.fromkeys(("lifecycle", "livenessProbe", "readinessProbe", "resources", "securityContext"), _ANY),
    "startupProbe": _ANY,
    "imagePullPolicy": _one_of("Always", "IfNotPresent", "Never"),
    **dict.fromkeys(("restartPolicy", "terminationMessagePath", "workingDir"), _TEXT),
    "terminationMessagePolicy": _one_of("File", "FallbackToLogsOnError"),
    **dict.fromkeys(("stdin", "stdinOnce", "tty"), _SWITCH),
}
MOUNT_FIELDS: _Schema = {
    "bindMountOptions": _list_of(_TEXT),
    "mountPropagation": _one_of("None", "HostToContainer", "Bidirectional"),
    "readOnly": _SWITCH,
    "recursiveReadOnly": _one_of("Disabled", "IfPossible", "Enabled"),
    "subPathExpr": _TEXT,
}
PORT_FIELDS: _Schema = {"hostIP": _TEXT, "hostPort": _PORT}
