"""The chart's objects, and what tests look for in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rlinf_constructs.helm import HelmChart, Release, ValuesError


def objects_of(chart: HelmChart, values: dict[str, Any] | None = None, *, release: str = "rel") -> list[dict[str, Any]]:
    """The plain rendering."""
    return chart.render(values or {}, Release(name=release, namespace="robots"))


def one(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The only object of a kind."""
    [item] = [item for item in objects if item["kind"] == kind]
    return item


def named(objects: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    """The object of a kind and name."""
    [item] = [item for item in objects if (item["kind"], item["metadata"]["name"]) == (kind, name)]
    return item


def run_json(objects: list[dict[str, Any]]) -> str:
    """The text of run.json, which one of the launch ConfigMaps has."""
    data = [item["data"] for item in objects if item["kind"] == "ConfigMap"]
    [text] = [texts["run.json"] for texts in data if "run.json" in texts]
    return text


def pods_of(objects: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every pod or pod template, with the name of its owner."""
    for item in objects:
        templates = [item] if item["kind"] == "Pod" else _templates(item.get("spec"))
        for template in templates:
            yield item["metadata"]["name"], template


def _templates(node: Any) -> Iterator[dict[str, Any]]:
    """Pod templates wherever a spec has them: the groups of Ray kinds hold one each."""
    if isinstance(node, list):
        for item in node:
            yield from _templates(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key.lower().endswith("template"):
                yield value
            else:
                yield from _templates(value)


def training_container(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The container that trains."""
    [stateful_set] = [item for item in objects if item["kind"] == "StatefulSet"]
    [container] = stateful_set["spec"]["template"]["spec"]["containers"]
    return container


def pod_spec(objects: list[dict[str, Any]]) -> dict[str, Any]:
    """The spec of the pods that train."""
    [stateful_set] = [item for item in objects if item["kind"] == "StatefulSet"]
    return stateful_set["spec"]["template"]["spec"]


def variables_of(objects: list[dict[str, Any]]) -> dict[str, str]:
    """The environment variables with a value of the container that trains; none is there twice."""
    plain = [item for item in training_container(objects)["env"] if "value" in item]
    variables = {item["name"]: item["value"] for item in plain}
    assert len(variables) == len(plain)
    return variables


def refusal_of(chart: HelmChart, values: dict[str, Any]) -> list[str]:
    """The sentences in which the values are refused."""
    with pytest.raises(ValuesError) as refusal:
        objects_of(chart, values)
    return refusal.value.sentences
