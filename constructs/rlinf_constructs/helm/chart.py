"""A Helm chart as a tree of constructs: written as a chart for Helm, or rendered as plain manifests without it."""

from __future__ import annotations

import base64
import functools
import json
import re
import secrets
import shutil
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cdk8s
from pydantic import BaseModel

from rlinf_constructs.helm import (
    document,
    merge,
    plain,
    rules,
    schema,
    shared_parts,
    template,
    values_yaml,
    yaml_io,
)
from rlinf_constructs.helm.errors import ValuesError
from rlinf_constructs.helm.expressions import Environment
from rlinf_constructs.helm.named_templates import Function, Helper
from rlinf_constructs.helm.rules import Rule
from rlinf_constructs.helm.schema_definitions import with_definitions

# The order in which Helm installs kinds, so that the plain rendering can be applied as it is printed; kinds that Helm
# does not know follow by their names.
_INSTALL_ORDER = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
]


_RELEASE_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_RELEASE_NAME = 53
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, kw_only=True)
class Release:
    """Where a chart is installed.

    Attributes:
        name: of the release.
        namespace: that it goes into.
    """

    name: str
    namespace: str = "default"

    def __post_init__(self) -> None:
        if not _NAMESPACE.fullmatch(self.namespace):
            raise ValueError(
                f"namespace {self.namespace!r}: Kubernetes allows lower-case letters, digits and '-', begun and ended "
                "by a letter or digit, at most 63 characters"
            )
        if not _RELEASE_NAME.fullmatch(self.name) or len(self.name) > _LONGEST_RELEASE_NAME:
            raise ValueError(
                f"release name {self.name!r}: Helm allows lower-case letters, digits, '-' and '.', begun and ended by "
                f"a letter or digit, at most {_LONGEST_RELEASE_NAME} characters"
            )

    def as_template_object(self) -> dict[str, Any]:
        """What a template sees as `.Release`, at a first install."""
        return {
            "Name": self.name,
            "Namespace": self.namespace,
            "Service": "Helm",
            "Revision": 1,
            "IsInstall": True,
            "IsUpgrade": False,
        }


@dataclass(kw_only=True)
class HelmChart:
    """A chart: metadata, values, and a cdk8s chart whose constructs hold expressions over the values.

    Attributes:
        metadata: the content of Chart.yaml.
        values: the pydantic model of the values; each field has an alias, a description and a default.
        header: the first comment of values.yaml.
        objects: the cdk8s chart; each construct directly below it becomes one template file.
        rules: checks that the schema cannot express.
        helpers: named templates.
        files: texts by their path in the chart, for `.Files` and for people.
        notes: the text of NOTES.txt, a Go template.
        constrain: adds to the generated schema what pydantic cannot say.
    """

    metadata: dict[str, Any]
    values: type[BaseModel]
    header: str
    objects: cdk8s.Chart
    rules: list[Rule] = field(default_factory=list[Rule])
    helpers: list[Helper | Function] = field(default_factory=list["Helper | Function"])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: str = ""
    constrain: Callable[[dict[str, Any]], None] | None = None

    @property
    def name(self) -> str:
        """The chart's name."""
        return self.metadata["name"]

    def schema(self) -> dict[str, Any]:
        """The schema of the values; values.schema.json has the same, shortened."""
        return self._schema

    @functools.cached_property
    def _schema(self) -> dict[str, Any]:
        result = schema.values_schema(self.values, title=f"Values of the chart {self.name}")
        if self.constrain is not None:
            self.constrain(result)
        return result

    def write(self, output: Path) -> None:
        """Write the chart as a folder that Helm installs; an earlier version of this chart there is replaced.

        Raises:
            FileExistsError: when the folder holds anything else.
        """
        texts = self.texts()
        output = output.resolve()
        if output.exists():
            self._refuse_other_folders(output, texts)
            shutil.rmtree(output)
        for path, text in texts.items():
            target = output / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")

    def _refuse_other_folders(self, output: Path, texts: Mapping[str, str]) -> None:
        ours = {path.split("/")[0] for path in texts}
        found = {entry.name for entry in output.iterdir()} if output.is_dir() else {output.name}
        is_this_chart = not found or (
            found <= ours
            and (output / "Chart.yaml").is_file()
            and f"name: {self.name}\n" in (output / "Chart.yaml").read_text(encoding="utf-8")
        )
        if not is_this_chart:
            raise FileExistsError(
                f"{output} holds something else than the chart {self.name}: name a new or empty folder"
            )

    def texts(self) -> dict[str, str]:
        """The chart's files: text by path."""
        return {
            "Chart.yaml": yaml_io.dump(self.metadata),
            "values.yaml": values_yaml.values_yaml(self.values, header=self.header),
            "values.schema.json": json.dumps(with_definitions(self.schema()), indent=2, ensure_ascii=False) + "\n",
            "templates/_helpers.tpl": _definitions(self.helpers),
            "templates/rules.yaml": rules.template(self.rules),
            "templates/NOTES.txt": self.notes,
            **{f"templates/{name}": text for name, text in self._templates()},
            **self.files,
        }

    def _templates(self) -> Iterator[tuple[str, str]]:
        root = self.objects.node.id
        documents, helpers = shared_parts.extract(self._documents, prefix=root)
        if helpers:
            yield "_shared.tpl", _definitions(helpers)
        for construct_id, items in documents.items():
            yield _file_name(construct_id), template.render(items, f"Construct {root}/{construct_id}")

    @property
    def _documents(self) -> Mapping[str, list[document.Mapping]]:
        return document.of_chart(self.objects)

    def render(self, values: dict[str, Any], release: Release) -> list[dict[str, Any]]:
        """The objects that Helm would install, in its order of installation.

        Args:
            values: what the user gives over the chart's defaults.
            release: name and namespace.

        Raises:
            ValuesError: when schema or rules refuse the values.
        """
        environment = self.environment(values, release)
        self.check(environment)
        return self.evaluate(environment)

    def evaluate(self, environment: Environment) -> list[dict[str, Any]]:
        """The objects in an environment whose values fit the schema; rules are not asked."""
        # Within a kind, Helm keeps the order of the files.
        by_file = sorted(self._documents.items(), key=lambda item: _file_name(item[0]))
        documents = [it for _, documents in by_file for it in documents]
        objects = [item for it in documents for item in plain.render(it, environment)]
        return sorted(objects, key=_install_order)

    def environment(self, values: dict[str, Any], release: Release) -> Environment:
        """What the expressions are evaluated on."""
        return Environment(
            values=merge.with_defaults(values_yaml.defaults(self.values), values),
            release=release.as_template_object(),
            generate=_random_secret,
            chart={"Name": self.name, "Version": self.metadata["version"], "AppVersion": self.metadata["appVersion"]},
            files=self.files,
        )

    def check(self, environment: Environment) -> None:
        """Refuse values in the words of `helm template`.

        Raises:
            ValuesError: with all faults that the schema finds, else with all broken rules.
        """
        from rlinf_constructs.helm import validate  # noqa: PLC0415 - loads jsonschema, which writing a chart does not need

        validate.check_schema(dict(environment.values), self.schema(), chart=self.name)
        broken = rules.check(self.rules, environment)
        if broken:
            raise ValuesError(broken, [])


def _random_secret(name: str, length: int) -> str:
    del name
    characters = string.ascii_letters + string.digits
    text = "".join(secrets.choice(characters) for _ in range(length))
    return base64.b64encode(text.encode()).decode()


def _file_name(construct_id: str) -> str:
    """From PascalCase to kebab-case: the construct `LaunchConfigMap` is in `launch-config-map.yaml`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", construct_id).lower() + ".yaml"


def _definitions(helpers: Iterable[Helper | Function]) -> str:
    return "\n".join(template.render_helper(helper) for helper in helpers)


def is_hook(item: dict[str, Any]) -> bool:
    """Whether Helm runs the object as a hook, such as a test, instead of installing it."""
    return "helm.sh/hook" in item["metadata"].get("annotations", {})


def _install_order(item: dict[str, Any]) -> tuple[bool, int, str]:
    kind = item["kind"]
    is_known = kind in _INSTALL_ORDER
    return is_hook(item), _INSTALL_ORDER.index(kind) if is_known else len(_INSTALL_ORDER), "" if is_known else kind
