"""Generated values of our chart: all that its schema allows, and pieces of pods that Kubernetes would take."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

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
_PEER = st.fixed_dictionaries({"podSelector": _LABELS}) | st.just({"ipBlock": {"cidr": "10.0.0.0/16"}})
_PORTS = st.lists(st.fixed_dictionaries({"port": st.integers(1, 65535)}), max_size=2)


def _some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Up to two objects, told apart by all that can differ in them."""
    return st.lists(st.fixed_dictionaries(fields), max_size=2, unique_by=lambda item: item["name"])


_SIZE = st.sampled_from([64, 128, 256, 512, 1024])
# What the schema leaves open, since Kubernetes' own documentation describes it, and sizes that divide each other.
PIECES = {
    "nodes.count": st.sampled_from([1, 2, 4, 8]),
    "nodes.gpus": st.sampled_from([0, 1, 2, 4, 8]),
    **{
        f"training.hydra.{key}": _SIZE
        for key in (
            "data.train_batch_size",
            "actor_rollout_ref.actor.ppo_mini_batch_size",
            "sft.batch_size",
        )
    },
    "training.hydra.actor_rollout_ref.actor.ppo_micro_batch_size": st.just(64),
    "training.hydra.data.n_samples": st.sampled_from([8, 16, 32]),
    "scheduling.tolerations[]": st.fixed_dictionaries(
        {"operator": st.sampled_from(["Exists", "Equal"]), "key": _NAME},
        optional={"effect": st.sampled_from(["NoSchedule", "NoExecute"])},
    ),
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
_BY_ID = {"fileSystemId": "fs-0123456789abcdef0", "existingClaim": "", "storageClassName": ""}
_BY_CLAIM = {"fileSystemId": "", "existingClaim": "fsx", "storageClassName": "", "dnsName": "", "mountName": ""}

# What a choice asks of other sections.
NEEDS: dict[str, dict[str, Any]] = {
    "storage.fsx.fileSystemId": {"storage": {"fsx": {"dnsName": "fsx.team.internal", "mountName": "fsx"}}},
    "storage.fsx.dnsName": {"storage": {"fsx": {**_BY_ID, "mountName": "fsx"}}},
    "storage.fsx.mountName": {"storage": {"fsx": {**_BY_ID, "dnsName": "fsx.team.internal"}}},
    "storage.scratch.storageClassName": {"storage": {"scratch": {"size": "1Ti"}}},
    **{
        f"storage.{use}.path": {"storage": {"fsx": _BY_CLAIM, use: {"volume": "fsx"}, "runs": {"existingClaim": ""}}}
        for use in ("models", "datasets", "checkpoints", "cache")
    },
    "efa.ipcLock=True": {"podSecurity": {"runAsUser": 0}},
    "secrets.mlflow.usernameKey": {"secrets": {"mlflow": {"tokenKey": ""}}},
    "secrets.mlflow.passwordKey": {"secrets": {"mlflow": {"tokenKey": ""}}},
    "secrets.mlflow.tokenKey": {"secrets": {"mlflow": {"usernameKey": "", "passwordKey": ""}}},
    "networkPolicy.egress.restricted=True": {"networkPolicy": {"enabled": True}},
    "networkPolicy.enabled=False": {"networkPolicy": {"egress": {"restricted": False}}},
    "serviceAccount.annotations.*": {"serviceAccount": {"create": True}},
}


def _section(key: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    alone = {"type": "object", "properties": {key: schema}}
    return values_of(alone, given=PIECES, must=key).map(lambda values: values[key])


_SECTIONS = {
    key: _section(key, section) for key, section in SCHEMA["properties"].items() if not is_of_a_parent(section)
}


@st.composite
def acceptable(draw: st.DrawFn, mode: str, choice: Choice) -> dict[str, Any]:
    """Values of a mode, most of which no rule refuses: those that make the choice, and a few sections beside it."""
    chosen = draw(st.lists(st.sampled_from(sorted(_SECTIONS)), max_size=3, unique=True))
    beside = {key: draw(_SECTIONS[key]) for key in chosen if key != choice.key.partition(".")[0]}
    parts = (beside, draw(_making(choice)), NEEDS.get(str(choice), {}), MODES[mode])
    return functools.reduce(merge.overlay, parts)


@functools.cache
def _making(choice: Choice) -> st.SearchStrategy[dict[str, Any]]:
    section = choice.key.partition(".")[0]
    schema = {"type": "object", "properties": {section: SCHEMA["properties"][section]}}
    own = {} if choice.value is None else {choice.key: st.just(choice.value)}
    return values_of(schema, given={**PIECES, **own}, must=choice.key)


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


def made_by(values: dict[str, Any]) -> Iterator[str]:
    """The choices that values make, as texts."""
    for key, value in _flat(values, ""):
        yield from (str(it) for it in choices() if _is_at(it.key, key) and it.value in (None, value))


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
