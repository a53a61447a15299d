"""Rules on names: that of all objects, and those in maps that the chart keeps for itself."""

from __future__ import annotations

from rlinf_charts.names import FULLNAME, values
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each_entry

NAME_FITS_A_SERVICE = Rule(
    broken=~call("regexMatch", "^[a-z]([-a-z0-9]*[a-z0-9])?$", FULLNAME),
    message=fmt(
        "the name of all objects is ",
        FULLNAME,
        ", after the release and the chart's name or alias: a Service's name has lower-case letters, digits and "
        "hyphens, a letter first; choose other ones, or set fullnameOverride",
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


RULES = [
    NAME_FITS_A_SERVICE,
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
