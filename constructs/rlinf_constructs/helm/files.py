"""The chart's own files, as expressions."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from rlinf_constructs.helm import yaml_io
from rlinf_constructs.helm.expressions import Environment, Expression, Scope
from rlinf_constructs.helm.kinds import Kind


@dataclass(frozen=True, eq=True)
class Files(Expression):
    """The chart's own files in a folder, as the data of a ConfigMap: a map from name to text.

    Each file ends with one newline, and its first line is not indented.
    """

    folder: str
    kind: Kind = Kind.MAP

    def is_never_empty(self) -> bool:
        """A folder that nobody wrote a file for is no folder of the chart."""
        return True

    def template(self, scope: Scope) -> str:
        """The files, as a collection of bytes by path."""
        return f'{scope.member("Files")}.Glob "{self.folder}/*"'

    def evaluate(self, environment: Environment) -> dict[str, str]:
        """The files' texts by base name.

        Raises:
            ValueError: for a text that a block of YAML cannot hold.
        """
        prefix = self.folder + "/"
        texts = {path.removeprefix(prefix): text for path, text in environment.files.items() if path.startswith(prefix)}
        unfit = [name for name, text in texts.items() if not yaml_io.fits_block(text)]
        if unfit:
            raise ValueError(
                f"{prefix}{unfit[0]} cannot be the data of a ConfigMap: let it end with one newline, its first line "
                "start without spaces, no line end with spaces, and hold printable text only"
            )
        return texts


@dataclass(frozen=True, eq=True)
class FileData(Expression):
    """The content of one of the chart's own JSON files, as a map.

    JSON, for a template parses the file at each use, and YAML would be a seventh of the time of `helm template`.
    """

    path: str
    kind: Kind = Kind.MAP

    def template(self, scope: Scope) -> str:
        """The file, parsed."""
        return f'{scope.member("Files")}.Get "{self.path}" | fromJson'

    def evaluate(self, environment: Environment) -> dict[str, Any]:
        """The file, parsed."""
        return _parsed(environment.files[self.path])


@functools.cache
def _parsed(text: str) -> dict[str, Any]:
    return json.loads(text)
