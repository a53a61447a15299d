"""Rules that cross fields, in the words in which both Helm and rlinf-eks refuse them."""

from __future__ import annotations

from typing import Any

from rlinf_charts import extras, hardware_rules, kuberay_rules, resume_rules, scheduling, secrets, storage_rules
from rlinf_charts.names import FULLNAME, values
from rlinf_charts.resources import GPUS
from rlinf_charts.run import WORLD_SIZE
from rlinf_charts.values.hydra import NativeHydra
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Kind, Rule, call, fmt

_runs = values.storage.runs

NAME_FITS_A_SERVICE = Rule(
    broken=~call("regexMatch", "^[a-z]([-a-z0-9]*[a-z0-9])?$", FULLNAME),
    message=fmt(
        "the name of all objects is ",
        FULLNAME,
        ", after the release: a Service's name begins with a letter and has no dots, so choose another release name, "
        "or set fullnameOverride",
    ),
)


def _reserved(place: Expression, words: str, keys: tuple[str, ...], remedy: str) -> Rule:
    """Keys of a user's map that the chart sets itself; twice in one object, Kubernetes refuses them."""
    taken = [call("hasKey", place, key) for key in keys]
    return Rule(
        broken=call("or", *taken) if len(taken) > 1 else taken[0],
        message=fmt(f"{words} sets one of {', '.join(keys)}, which the chart sets itself: {remedy}"),
    )


RESERVED = [
    _reserved(
        values.extra_env,
        "extraEnv",
        ("POD_NAME", "POD_NAMESPACE", "POD_IP", "RLINF_NODE_RANK", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"),
        "remove it",
    ),
    _reserved(
        values.common_labels,
        "commonLabels",
        (
            "app.kubernetes.io/name",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/component",
            "app.kubernetes.io/version",
            "app.kubernetes.io/managed-by",
            "helm.sh/chart",
        ),
        "remove it, or set nameOverride",
    ),
    _reserved(
        values.pod_labels,
        "podLabels",
        (
            "app.kubernetes.io/name",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/component",
            "ray.io/cluster",
            "ray.io/group",
            "ray.io/node-type",
        ),
        "remove it",
    ),
    _reserved(values.pod_annotations, "podAnnotations", ("checksum/run", "checksum/bootstrap"), "remove it"),
    _reserved(
        values.nodes.resources.limits,
        "nodes.resources.limits",
        ("nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi"),
        "set nodes.gpus, efa.devices and efa.hugepages instead",
    ),
    _reserved(
        values.nodes.resources.requests,
        "nodes.resources.requests",
        ("nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi"),
        "set nodes.gpus, efa.devices and efa.hugepages instead",
    ),
]

PORTS_DIFFER = Rule(
    broken=values.ray.port.equals(values.ray.dashboard_port),
    message=fmt(
        "ray.port and ray.dashboardPort are both ",
        values.ray.port,
        ": each needs a port of its own, for example 6379 and 8265",
    ),
)

RUN_FOLDER_NEEDS_A_CLAIM = Rule(
    broken=~values.storage.checkpoints.volume & ~_runs.existing_claim & ~_runs.create,
    message=fmt(
        "storage.runs.existingClaim is empty and storage.runs.create is false, so the run folder has no claim: "
        "name an existing PersistentVolumeClaim, or set storage.runs.create=true"
    ),
)

NODES_SHARE_THE_RUN_FOLDER = Rule(
    broken=(values.nodes.count > 1)
    & _runs.access_mode.equals("ReadWriteOnce")
    & ~_runs.existing_claim
    & ~values.storage.checkpoints.volume,
    message=fmt(
        "storage.runs.accessMode is ReadWriteOnce while nodes.count is ",
        values.nodes.count,
        ": several nodes write to one run folder, which needs ReadWriteMany (FSx for Lustre, EFS), or nodes.count=1",
    ),
)

RAY_NEEDS_A_CPU_FOR_EACH_GPU = Rule(
    broken=(values.ray.cpus > 0) & (values.ray.cpus < GPUS),
    message=fmt(
        "ray.cpus is ",
        values.ray.cpus,
        " while a node has ",
        GPUS,
        " GPUs: each GPU's worker takes a CPU, and Ray would wait for ever; the least is ",
        GPUS,
        ", or 0 for two a GPU",
    ),
)

# What the seeds' launch script sets, where verl's own defaults would not fit.
_VERL_DEFAULTS = {
    "data.train_batch_size": 64,
    "data.n_samples": 8,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 128,
    "actor_rollout_ref.rollout.log_prob_micro_batch_size": 32,
    "actor_rollout_ref.ref.log_prob_micro_batch_size": 32,
}


def _native_default(key: str) -> Any:
    value: Any = NativeHydra()
    for part in key.split("."):
        value = getattr(value, part)
    return value


def hydra_number(engine: str, key: str) -> Expression:
    """The user's number for a key of the engine, or the engine's default."""
    default = _native_default(key) if engine == "native" else _VERL_DEFAULTS[key]
    return call("int64", call("dig", *key.split("."), default, values.training.hydra, kind=Kind.INTEGER))


def _multiple_of_ranks(engine: str, key: str) -> Rule:
    """A number that is divided among the ranks."""
    value = hydra_number(engine, key)
    below = value // WORLD_SIZE * WORLD_SIZE
    return Rule(
        broken=values.training.engine.equals(engine) & (value % WORLD_SIZE).differs(0),
        message=fmt(
            f"training.hydra.{key} is ",
            value,
            ", which is divided among ",
            WORLD_SIZE,
            " ranks (nodes.count * GPUs of a node, one a node without): the nearest valid values are ",
            helm.conditional(below > 0, fmt(below, " and ", below + WORLD_SIZE), fmt(WORLD_SIZE)),
        ),
    )


def _multiple_of_key(engine: str, total: Expression, total_words: str, key: str) -> Rule:
    """A number of things that come in batches of the key's value."""
    size = hydra_number(engine, key)
    below = total // size * size
    return Rule(
        broken=values.training.engine.equals(engine) & (size > 0) & (total % size).differs(0),
        message=fmt(
            f"{total_words} is ",
            total,
            f", which training.hydra.{key}, ",
            size,
            ", does not divide: the nearest that it divides are ",
            helm.conditional(below > 0, fmt(below, " and ", below + size), fmt(size)),
        ),
    )


_micro = "actor_rollout_ref.actor.ppo_micro_batch_size"
_mini = "actor_rollout_ref.actor.ppo_mini_batch_size"


def _mini_batches_fill_a_step(engine: str) -> Rule:
    trajectories = hydra_number(engine, "data.train_batch_size") * hydra_number(engine, "data.n_samples")
    words = "training.hydra.data.train_batch_size * training.hydra.data.n_samples"
    return _multiple_of_key(engine, trajectories, words, _mini)


NATIVE_BATCHES = [
    _multiple_of_ranks("native", "data.train_batch_size"),
    _multiple_of_ranks("native", _micro),
    _multiple_of_ranks("native", "sft.batch_size"),
    _mini_batches_fill_a_step("native"),
    _multiple_of_key("native", hydra_number("native", _mini), f"training.hydra.{_mini}", _micro),
]

# All of these are divided by the world size in verl's fsdp_workers.py; the micro batch is derived from it.
VERL_BATCHES = [
    *(_multiple_of_ranks("verl", key) for key in _VERL_DEFAULTS if not key.startswith("data.")),
    _mini_batches_fill_a_step("verl"),
]

RULES = [
    NAME_FITS_A_SERVICE,
    *RESERVED,
    PORTS_DIFFER,
    RUN_FOLDER_NEEDS_A_CLAIM,
    NODES_SHARE_THE_RUN_FOLDER,
    RAY_NEEDS_A_CPU_FOR_EACH_GPU,
    *hardware_rules.RULES,
    *storage_rules.RULES,
    *scheduling.RULES,
    *extras.RULES,
    *secrets.RULES,
    *kuberay_rules.RULES,
    *resume_rules.RULES,
    *NATIVE_BATCHES,
    *VERL_BATCHES,
]
