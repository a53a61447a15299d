"""A container's environment as kubelet would make it: `value`, `valueFrom`, `envFrom` and `$(VAR)`."""

import re
from collections.abc import Mapping
from typing import Any

from rlinf_charts.local.errors import LocalError

Sources = Mapping[tuple[str, str], Mapping[str, str]]
"""(kind, name) of each ConfigMap and Secret -> its keys and texts."""

_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))")


def expand(text: str, env: Mapping[str, str]) -> str:
    """Replace `$(NAME)` by the variable's value; `$$` is a dollar sign, an unknown name stays as it is.

    Source: k8s.io/kubernetes, third_party/forked/golang/expansion.
    """
    return _REFERENCE.sub(lambda found: "$" if found[1] is None else env.get(found[1], found[0]), text)


def resolve(container: Mapping[str, Any], *, sources: Sources, fields: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the variables of a container in their order, `envFrom` first, later names winning.

    Args:
        container: The container of a manifest.
        sources: The chart's ConfigMaps and Secrets.
        fields: Field paths of the downward API (`metadata.name`, ...) and their values in this pod.
        where: Names the container in errors.

    Raises:
        LocalError: For a source that the chart does not render, or a `valueFrom` that local does not know.
    """
    env: dict[str, str] = {}
    for source in container.get("envFrom", []):
        env.update(_all_keys(source, sources, where))
    for variable in container.get("env", []):
        name = variable["name"]
        value = (
            _value_from(variable["valueFrom"], sources=sources, fields=fields, where=f"{where}, env {name}")
            if "valueFrom" in variable
            else expand(variable.get("value", ""), env)
        )
        if value is not None:
            env[name] = value
    return env


def _all_keys(source: Mapping[str, Any], sources: Sources, where: str) -> dict[str, str]:
    kind, reference = (
        ("Secret", source["secretRef"]) if "secretRef" in source else ("ConfigMap", source["configMapRef"])
    )
    data = lookup(
        sources, kind, reference["name"], optional=reference.get("optional", False), where=f"{where}, envFrom"
    )
    return {source.get("prefix", "") + key: value for key, value in data.items()}


def _value_from(source: Mapping[str, Any], *, sources: Sources, fields: Mapping[str, str], where: str) -> str | None:
    [(origin, reference)] = source.items()
    if origin == "fieldRef":
        path = reference["fieldPath"]
        if path not in fields:
            raise LocalError(f"{where}: local does not know the field {path}; it knows {', '.join(fields)}")
        return fields[path]
    if origin not in ("secretKeyRef", "configMapKeyRef"):
        raise LocalError(f"{where}: local does not support {origin}; set the variable by a value, or use a cluster")
    kind = "Secret" if origin == "secretKeyRef" else "ConfigMap"
    optional = reference.get("optional", False)
    data = lookup(sources, kind, reference["name"], optional=optional, where=where)
    if reference["key"] not in data and not optional:
        raise LocalError(f"{where}: {kind}/{reference['name']} has no key {reference['key']}; it has {', '.join(data)}")
    return data.get(reference["key"])


def lookup(sources: Sources, kind: str, name: str, *, optional: bool, where: str) -> Mapping[str, str]:
    """Return the texts of a ConfigMap or Secret; an optional one that is missing is empty.

    Raises:
        LocalError: When a required one is not among the rendered manifests.
    """
    if (kind, name) not in sources and not optional:
        raise LocalError(
            f"{where}: {kind}/{name} is not rendered by this chart, and local knows no other; "
            "let the chart make it, or use a cluster"
        )
    return sources.get((kind, name), {})
