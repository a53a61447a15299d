"""Generated values of our chart: all that its schema allows, and pieces of pods that Kubernetes would take."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from engine_values import ENGINES
from generated_values import is_of_a_parent, values_of
from rlinf_charts.values import RlinfValues, hydra
from rlinf_constructs.helm import merge
from rlinf_constructs.helm.schema import values_schema

SCHEMA = values_schema(RlinfValues, title="")
hydra.constrain(SCHEMA)

# Anything, also what rules refuse and what only Kubernetes knows to be wrong.
ANY = values_of(SCHEMA)

_NAME = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
_LABELS = st.fixed_dictionaries({"matchLabels": st.dictionaries(_NAME, _NAME, max_size=2)})
_EXPRESSION = {"key": _NAME, "operator": st.just("In"), "values": st.lists(_NAME, min_size=1, max_size=2)}
_TERM = st.fixed_dictionaries({"topologyKey": _NAME, "labelSelector": _LABELS})
_NODE_TERM = st.fixed_dictionaries(
    {"matchExpressions": st.lists(st.fixed_dictionaries(_EXPRESSION), min_size=1, max_size=2)}
)
_AFFINITY = "scheduling.affinity"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_BESIDE_PODS = ("podAffinity", "podAntiAffinity")
_WEIGHT = st.integers(1, 100)
_TOLERATION = {"operator": st.sampled_from(["Exists", "Equal"]), "key": _NAME}
_EVICTION = {"effect": st.just("NoExecute"), "tolerationSeconds": st.integers(0, 3600)}
_PEER = st.fixed_dictionaries({"podSelector": _LABELS}) | st.just({"ipBlock": {"cidr": "10.0.0.0/16"}})
_PORTS = st.lists(st.fixed_dictionaries({"port": st.integers(1, 65535)}), max_size=2)


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Up to two objects, told apart by all that can differ in them."""
    return st.lists(st.fixed_dictionaries(fields), max_size=2, unique_by=lambda item: item["name"])


# What the schema leaves open, since Kubernetes' own documentation describes it, and numbers of ranks that sizes fit.
PIECES = {
    "nodes.count": st.sampled_from([1, 2, 4, 8]),
    "nodes.gpus": st.sampled_from([0, 1, 2, 4, 8]),
    "scheduling.tolerations[]": st.fixed_dictionaries(_TOLERATION, optional={"effect": st.just("NoSchedule")})
    | st.fixed_dictionaries({**_TOLERATION, **_EVICTION}),
    f"{_AFFINITY}.nodeAffinity.{_REQUIRED}.nodeSelectorTerms[]": _NODE_TERM,
    f"{_AFFINITY}.nodeAffinity.{_PREFERRED}[]": st.fixed_dictionaries({"weight": _WEIGHT, "preference": _NODE_TERM}),
    **{f"{_AFFINITY}.{kind}.{_REQUIRED}[]": _TERM for kind in _BESIDE_PODS},
    **{
        f"{_AFFINITY}.{kind}.{_PREFERRED}[]": st.fixed_dictionaries({"weight": _WEIGHT, "podAffinityTerm": _TERM})
        for kind in _BESIDE_PODS
    },
    "scheduling.topologySpreadConstraints[]": st.fixed_dictionaries(
        {
            "maxSkew": st.integers(1, 3),
            "topologyKey": _NAME,
            "whenUnsatisfiable": st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
            "labelSelector": _LABELS,
        }
    ),
    # Set together where they are the choice, see NEEDS: chance would seldom have all of them.
    **{
        f"storage.{key}": st.just("")
        for key in (
            *("fsx.fileSystemId", "fsx.dnsName", "fsx.mountName", "scratch.storageClassName"),
            *("models.path", "datasets.path", "checkpoints.path", "cache.path"),
        )
    },
    "tracking.mlflow.trackingUri": st.sampled_from(["http://mlflow.mlflow.svc:5000", "https://mlflow.team/path"]),
    "tracking.wandb.baseUrl": st.sampled_from(["https://wandb.team.internal", "http://wandb:8080/"]),
    "extraEnvFrom[]": st.fixed_dictionaries({"secretRef": st.fixed_dictionaries({"name": _NAME})}),
    "extraVolumes": _some(name=st.sampled_from(["code", "more"]), emptyDir=st.just({})),
    "extraVolumeMounts": _some(name=st.just("tmp"), mountPath=st.sampled_from(["/code", "/more"])),
    "extraInitContainers": _some(name=st.sampled_from(["first", "second"]), image=_NAME),
    "sidecars": _some(name=st.sampled_from(["beside", "logs"]), image=_NAME),
    "extraObjects[]": st.fixed_dictionaries(
        {
            "apiVersion": st.just("v1"),
            "kind": st.just("ConfigMap"),
            "metadata": st.fixed_dictionaries({"name": _NAME}),
            "data": st.dictionaries(_NAME, _NAME, max_size=2),
        }
    ),
    **{
        f"kuberay.{group}.rayStartParams": st.sampled_from(
            [{"object-store-memory": "1000000000"}, {"resources": "'{\"disk\": 2}'", "no-redirect-output": "true"}]
        )
        for group in ("head", "workers")
    },
    "networkPolicy.dashboardFrom[]": _PEER,
    "networkPolicy.ingress[]": st.fixed_dictionaries(
        {}, optional={"from": st.lists(_PEER, max_size=2), "ports": _PORTS}
    ),
    "networkPolicy.egress.to[]": st.fixed_dictionaries(
        {}, optional={"to": st.lists(_PEER, max_size=2), "ports": _PORTS}
    ),
}

# A mode, with what its rules ask for that chance would seldom give.
MODES: dict[str, dict[str, Any]] = {
    "statefulset": {"mode": "statefulset"},
    "job": {"mode": "job"},
    "raycluster": {"mode": "raycluster", "kuberay": {"rayVersion": "2.60.0"}},
    "rayjob": {"mode": "rayjob", "kuberay": {"rayVersion": "2.60.0"}, "rayJob": {"clusterSelector": ""}},
    "rayjob on a cluster": {
        "mode": "rayjob",
        "kuberay": {"rayVersion": "2.60.0", "suspend": False, "version": "1.7"},
        "rayJob": {"clusterSelector": "cluster", "backoffLimit": 0, "ttlSecondsAfterFinished": 0},
        "ray": {"auth": {"existingSecret": "token", "key": "auth_token"}},
        "storage": {"runs": {"existingClaim": "runs"}},
        "dashboard": {"ingress": {"enabled": False}},
        "podMonitor": {"enabled": False},
    },
}


# A file system by its id, and one by its claim.
_BY_ID = {
    "fsx": {
        "fileSystemId": "fs-0123456789abcdef0",
        "dnsName": "fsx.team.internal",
        "mountName": "fsx",
        "existingClaim": "",
        "storageClassName": "",
    }
}
_BY_CLAIM = {"fileSystemId": "", "existingClaim": "fsx", "storageClassName": "", "dnsName": "", "mountName": ""}

# Keys that may only repeat what follows from others, with those others.
REPEATED: dict[str, dict[str, Any]] = {
    "training.hydra.trainer.nnodes": {
        "nodes": {"count": 1},
        "training": {"hydra": {"trainer": {"nnodes": 1}}},
    },
    "training.hydra.trainer.n_gpus_per_node": {
        "instance": {"type": ""},
        "nodes": {"gpus": 0},
        "training": {"hydra": {"trainer": {"n_gpus_per_node": 0}}},
    },
    "training.hydra.cluster.num_nodes": {
        "nodes": {"count": 1},
        "training": {"hydra": {"cluster": {"num_nodes": 1}}},
    },
    "training.hydra.trainer.default_local_dir": {
        "nameOverride": "",
        "fullnameOverride": "run",
        "storage": {"runs": {"mountPath": "/runs"}, "checkpoints": {"volume": "", "path": ""}},
        "training": {"hydra": {"trainer": {"default_local_dir": "/runs/run"}}},
    },
}

# What a choice asks of other sections.
NEEDS: dict[str, dict[str, Any]] = {
    **REPEATED,
    **{f"storage.fsx.{key}": {"storage": _BY_ID} for key in ("fileSystemId", "dnsName", "mountName")},
    "storage.scratch.storageClassName": {"storage": {"scratch": {"size": "1Ti", "storageClassName": "gp3"}}},
    **{
        f"storage.{use}.path": {
            "storage": {"fsx": _BY_CLAIM, use: {"volume": "fsx", "path": "a/b"}, "runs": {"existingClaim": ""}}
        }
        for use in ("models", "datasets", "checkpoints", "cache")
    },
    "dashboard.ingress.enabled=True": {"networkPolicy": {"dashboardFrom": [{"podSelector": {}}]}},
    "efa.ipcLock=True": {"podSecurity": {"runAsUser": 0}},
    "secrets.mlflow.usernameKey": {"secrets": {"mlflow": {"tokenKey": ""}}},
    "secrets.mlflow.passwordKey": {"secrets": {"mlflow": {"tokenKey": ""}}},
    "secrets.mlflow.tokenKey": {"secrets": {"mlflow": {"usernameKey": "", "passwordKey": ""}}},
    "networkPolicy.egress.restricted=True": {"networkPolicy": {"enabled": True}},
    "networkPolicy.enabled=False": {"networkPolicy": {"egress": {"restricted": False}}},
    "serviceAccount.annotations.*": {"serviceAccount": {"create": True}},
    # One rank, which is what the engine verl takes there.
    "training.hydra.actor_rollout_ref.actor.ppo_micro_batch_size": {
        "instance": {"type": ""},
        "nodes": {"count": 1, "gpus": 1},
    },
}


# Choices that an engine has and a rule refuses, whatever else is set.
REFUSED = [
    "training.hydra.data.filter_truncated=True",
    "training.hydra.actor_rollout_ref.actor.use_dynamic_bsz=True",
    "training.hydra.actor_rollout_ref.rollout.log_prob_use_dynamic_bsz=True",
    "training.hydra.actor_rollout_ref.ref.log_prob_use_dynamic_bsz=True",
]


@st.composite
def acceptable(draw: st.DrawFn, choice: Choice) -> dict[str, Any]:
    """Values of any mode and engine, most of which no rule refuses: the choice, and a few sections beside it."""
    mode = draw(st.sampled_from(sorted(MODES)))
    engine = draw(st.sampled_from(_engines_with(choice)))
    own = choice.key.partition(".")[0]
    chosen = draw(st.lists(st.sampled_from(sorted(_SECTIONS)), max_size=3, unique=True))
    beside = {key: draw(_section(key, engine)) for key in chosen if key != own}
    making = {own: draw(_section(own, engine, choice))}
    parts = (beside, making, NEEDS.get(str(choice), {}), ENGINES[engine].needs, MODES[mode])
    values = functools.reduce(merge.overlay, parts)
    for key in REPEATED:
        if key != choice.key:
            _remove(values, key.split("."))
    return values


def _remove(values: dict[str, Any], path: list[str]) -> None:
    name, *rest = path
    if not rest:
        values.pop(name, None)
    elif isinstance(values.get(name), dict):
        _remove(values[name], rest)


@functools.cache
def _section(key: str, engine: str, choice: Choice | None = None) -> st.SearchStrategy[Any]:
    """The values of a top-level key, with the choice made where there is one."""
    schema = {"type": "object", "properties": {key: _properties(engine)[key]}}
    fixed = {} if choice is None or choice.value is None else {choice.key: st.just(choice.value)}
    given = {**PIECES, **ENGINES[engine].pieces, **fixed}
    return values_of(schema, given=given, must=key if choice is None else choice.key).map(lambda values: values[key])


@functools.cache
def _properties(engine: str) -> dict[str, Any]:
    """The schemas of the top-level keys, when the engine is this one."""
    training = SCHEMA["properties"]["training"]
    then = [it["then"] for it in training["allOf"] if it["if"]["properties"]["engine"]["const"] == engine]
    base = {key: value for key, value in training.items() if key != "allOf"}
    properties = functools.reduce(lambda all_of, it: {**all_of, **it["properties"]}, then, base["properties"])
    return {**SCHEMA["properties"], "training": {**base, "properties": properties}}


@functools.cache
def _engines_with(choice: Choice) -> list[str]:
    """The engines under which a key can have the value."""
    if choice.key == "training.engine":
        return [choice.value]
    known = {engine: dict(_leaves({"properties": _properties(engine)}, "")) for engine in ENGINES}
    return [engine for engine, leaves in known.items() if choice.key in leaves] or list(ENGINES)


_SECTIONS = [key for key, section in SCHEMA["properties"].items() if not is_of_a_parent(section)]


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A key of the values that is set, and where it is one of a few, what to; `*` stands for a key of the user's."""

    key: str
    value: Any = None

    def __str__(self) -> str:
        return self.key if self.value is None else f"{self.key}={self.value}"


@functools.cache
def schema_leaves(*engines: str) -> list[tuple[str, dict[str, Any]]]:
    """Every key of the values with its schema; of some engines' keys, or of those of all."""
    training = SCHEMA["properties"]["training"]
    rules = [it for it in training["allOf"] if it["if"]["properties"]["engine"]["const"] in engines or not engines]
    some = {**SCHEMA, "properties": {**SCHEMA["properties"], "training": {**training, "allOf": rules}}}
    found = dict(_leaves(some, ""))
    # Of a group of an engine's keys, the engine's own schema says more.
    return [(key, leaf) for key, leaf in found.items() if not any(it.startswith(f"{key}.") for it in found)]


@functools.cache
def choices() -> list[Choice]:
    """Every key of the values, and every value of those that have only a few."""
    few = {key: [True, False] if leaf.get("type") == "boolean" else leaf.get("enum") for key, leaf in schema_leaves()}
    return [Choice(key=key, value=value) for key in few for value in few[key] or [None]]


def makes(values: dict[str, Any], choice: Choice) -> bool:
    """Whether values make the choice."""
    return any(_is_at(choice.key, key) and choice.value in (None, value) for key, value in _flat(values, ""))


def _leaves(schema: dict[str, Any], key: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key that holds a value rather than keys, with its schema; `*` stands for a key of the user's choice."""
    inner = _inner(schema, key)
    for name, value in inner:
        yield from _leaves(value, name)
    if not inner:
        yield key, schema


def _inner(schema: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    then = [(key, rule["then"]) for rule in schema.get("allOf", ())]
    properties = {name: value for name, value in schema.get("properties", {}).items() if not is_of_a_parent(value)}
    if properties:
        return [*((f"{key}.{name}".lstrip("."), value) for name, value in properties.items()), *then]
    maps = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    return [*((f"{key}.*", value) for value in maps if isinstance(value, dict)), *then]


@functools.cache
def _is_at(key: str, place: str) -> bool:
    return re.match(re.escape(key).replace(r"\*", ".+") + r"($|[.\[])", place) is not None


def _flat(values: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(values, dict) and values:
        for name, value in values.items():
            yield from _flat(value, f"{key}.{name}".lstrip("."))
    else:
        yield key, values
