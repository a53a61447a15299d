"""Rules that cross fields, in the words in which both Helm and rlinf-eks refuse them."""

from __future__ import annotations

from rlinf_charts import (
    batch_rules,
    container_rules,
    dashboard,
    derived_rules,
    extras,
    hardware_rules,
    kuberay_rules,
    monitoring,
    mount_rules,
    native_rules,
    network,
    port_rules,
    resume_rules,
    rlinf_rules,
    scheduling,
    secrets,
    storage_rules,
    toleration_rules,
    tracking_rules,
    unused_rules,
    verl_rules,
)
from rlinf_charts.names import FULLNAME, values
from rlinf_charts.resources import GPUS
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each_entry

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
    pattern = "|".join(key.replace(".", r"\.") for key in keys)

    def rule(key: Expression, value: Expression) -> Rule:
        del value
        return Rule(
            broken=call("regexMatch", f"^({pattern})$", key),
            message=fmt(f"{words} has ", key, f", which the chart sets itself: {remedy}"),
        )

    return for_each_entry(place, rule, key="key", value="value")


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

RULES = [
    NAME_FITS_A_SERVICE,
    *RESERVED,
    RUN_FOLDER_NEEDS_A_CLAIM,
    NODES_SHARE_THE_RUN_FOLDER,
    RAY_NEEDS_A_CPU_FOR_EACH_GPU,
    *hardware_rules.RULES,
    *storage_rules.RULES,
    *unused_rules.RULES,
    *mount_rules.RULES,
    *port_rules.RULES,
    *container_rules.RULES,
    *scheduling.RULES,
    *toleration_rules.RULES,
    *extras.RULES,
    *dashboard.RULES,
    *monitoring.RULES,
    *network.RULES,
    *secrets.RULES,
    *kuberay_rules.RULES,
    *resume_rules.RULES,
    *tracking_rules.RULES,
    *derived_rules.RULES,
    *batch_rules.NATIVE,
    *native_rules.RULES,
    *verl_rules.RULES,
    *rlinf_rules.RULES,
]
