"""Objects held against the OpenAPI schemas of a version of Kubernetes, which kubernetes-validate ships."""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema
from referencing import Registry, Resource

from rlinf_charts.pod_specs import pod_specs
from rlinf_charts.validation.faults import Fault

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_FOLDER = re.compile(r"v(\d+)\.(\d+)\.\d+-local-strict")


def _folders() -> dict[str, Traversable]:
    """The strict schemas of each version, the oldest first.

    Raises:
        ModuleNotFoundError: when kubernetes-validate is not installed.
    """
    root = importlib.resources.files("kubernetes_validate") / "kubernetes-json-schema"
    versions = {
        (int(match[1]), int(match[2])): folder
        for folder in root.iterdir()
        if (match := _FOLDER.fullmatch(folder.name)) is not None
    }
    return {f"{major}.{minor}": folder for (major, minor), folder in sorted(versions.items(), key=lambda it: it[0])}


def known_versions() -> list[str]:
    """The versions whose schemas are installed, the oldest first."""
    return list(_folders())


class KubernetesSchemas:
    """The schemas of one version: fields that it does not know are refused."""

    def __init__(self, version: str) -> None:
        self._folder = _folders()[version]
        self.version = version

    def knows(self, item: dict[str, Any]) -> bool:
        """Whether the object's kind is Kubernetes' own; others come from operators."""
        group = item["apiVersion"].rpartition("/")[0]
        # An operator's group may begin like one of Kubernetes, as scheduling.volcano.sh does.
        is_own = "." not in group or group.endswith(".k8s.io")
        return is_own and (self._folder / _file_name(item)).is_file()

    def faults(self, item: dict[str, Any]) -> Iterator[Fault]:
        """Everything that the schema of the object's kind has against it."""
        for error in self._validator(_file_name(item)).iter_errors(item):
            yield Fault(
                check="kubernetes",
                places=(f"{item['kind']}/{item['metadata']['name']}",),
                keys=(".".join(map(str, error.absolute_path)),),
                message=f"Kubernetes {self.version}: {error.message}",
                path=tuple(error.absolute_path),
            )

    def pod_faults(self, item: dict[str, Any]) -> Iterator[Fault]:
        """Everything that Kubernetes has against the pods in an object of an operator's kind."""
        for place, pod in pod_specs(item):
            path = tuple(int(step) if step.isdigit() else step for step in place.split("."))
            alone = {"apiVersion": "v1", "kind": "Pod", "metadata": item["metadata"], "spec": pod}
            for fault in self.faults(alone):
                # Below `spec` of the pod.
                where = (*path, *fault.path[1:])
                yield replace(
                    fault,
                    places=(f"{item['kind']}/{item['metadata']['name']}",),
                    keys=(".".join(map(str, where)),),
                    path=where,
                )

    @functools.cache  # noqa: B019 - there is one of each version, and it lives as long as the process
    def _validator(self, file_name: str) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator(_load(self._folder / file_name), registry=self._registry)

    @functools.cached_property
    def _registry(self) -> Registry[Any]:
        return Resource.from_contents(_load(self._folder / "_definitions.json")) @ Registry[Any]()


def _file_name(item: dict[str, Any]) -> str:
    """`apps/v1` StatefulSet is in `statefulset-apps-v1.json`; of a group only the first label counts."""
    group, _, version = item["apiVersion"].rpartition("/")
    return "-".join(filter(None, (item["kind"].lower(), group.partition(".")[0], version))) + ".json"


def _load(file: Traversable) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))
