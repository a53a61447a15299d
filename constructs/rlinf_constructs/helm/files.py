"""The chart's own files, as expressions."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from rlinf_constructs.helm import yaml_io
from rlinf_constructs.helm.expressions import Environment, Expression, Scope
from rlinf_constructs.helm.kinds import Kind


@dataclass(frozen=True, eq=True)
class Files(Expression):
    """The chart's own files in a folder, as a map from name to text."""

    folder: str
    kind: Kind = Kind.MAP

    def is_never_empty(self) -> bool:
        """A folder that nobody wrote a file for is no folder of the chart."""
        return True

    def template(self, scope: Scope) -> str:
        """Helm's idiom for the data of a ConfigMap; the result is YAML text already."""
        return f'({scope.member("Files")}.Glob "{self.folder}/*").AsConfig'

    def evaluate(self, environment: Environment) -> dict[str, str]:
        """The files' texts by base name."""
        prefix = self.folder + "/"
        return {path.removeprefix(prefix): text for path, text in environment.files.items() if path.startswith(prefix)}


@dataclass(frozen=True, eq=True)
class FileData(Expression):
    """The content of one of the chart's own YAML files, as a map."""

    path: str
    kind: Kind = Kind.MAP

    def template(self, scope: Scope) -> str:
        """The file, parsed."""
        return f'{scope.member("Files")}.Get "{self.path}" | fromYaml'

    def evaluate(self, environment: Environment) -> dict[str, Any]:
        """The file, parsed."""
        return _parsed(environment.files[self.path])


@functools.cache
def _parsed(text: str) -> dict[str, Any]:
    return yaml_io.load(text)
