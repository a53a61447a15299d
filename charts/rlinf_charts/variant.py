"""Variants of the chart: another name, other defaults, and constructs of a team's own."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cdk8s

from rlinf_charts.semantic_versions import is_version
from rlinf_charts.values import RlinfValues
from rlinf_charts.values.section import DNS_LABEL
from rlinf_charts.version import VERSION
from rlinf_constructs.helm import Rule, ValuesRef

CHART_NAME = "rlinf"


class Extension:
    """What a platform team adds to the chart; subclass it.

    Attributes:
        values: the chart's values, a subclass of RlinfValues where the team has keys of its own.
    """

    values: type[RlinfValues] = RlinfValues

    def add(self, objects: cdk8s.Chart, values: Any) -> None:
        """Add constructs to the chart, or containers to its pods.

        Args:
            objects: the chart with all constructs of ours in it; each construct directly below it becomes a template.
            values: `ValuesRef` of this extension's values; their paths are expressions.
        """
        del objects, values

    def rules(self, values: Any) -> list[Rule]:
        """Checks that cross keys, for example those of the team with ours."""
        del values
        return []


class VariantError(ValueError):
    """A chart that cannot have this name, version or extension."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """How a chart differs from the plain one.

    Attributes:
        name: of the chart.
        version: of the chart.
        defaults: values that take the place of the chart's defaults.
        extension: what a team adds.
    """

    name: str = CHART_NAME
    version: str = VERSION
    defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    extension: Extension = field(default_factory=Extension)

    def __post_init__(self) -> None:
        """Refuse what Helm and registries would refuse later.

        Raises:
            VariantError: naming the field, its value and what is allowed.
        """
        if re.fullmatch(DNS_LABEL, self.name) is None:
            raise VariantError(f"chart name {self.name}: write lower-case letters, digits and dashes, as in team-rlinf")
        if not is_version(self.version):
            raise VariantError(
                f"chart version {self.version} is not a semantic version: write MAJOR.MINOR.PATCH, as in 1.4.0"
            )


class _Function(Extension):
    """A team's function `add(objects, values)` that needs no keys of its own."""

    def __init__(self, function: Callable[[cdk8s.Chart, ValuesRef], object]) -> None:
        self._function = function

    def add(self, objects: cdk8s.Chart, values: Any) -> None:
        self._function(objects, values)


def load_extension(reference: str) -> Extension:
    """The extension MODULE:NAME, a subclass of Extension or a function `add(objects, values)`.

    Modules of the current folder are found, as by `python -m`.

    Raises:
        VariantError: when there is no such thing.
    """
    module_name, _, name = reference.partition(":")
    if re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", reference) is None:
        raise VariantError(f"{reference}: write MODULE:NAME, as in team_chart:TeamChart")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise VariantError(f"{reference}: there is no module {error.name}, here or installed") from error
    finally:
        sys.path.pop(0)
    found: Any = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, Extension):
        return found()
    if callable(found) and not isinstance(found, type):
        return _Function(found)
    raise VariantError(
        f"{reference}: the module {module_name} has no {name} that is a subclass of rlinf_charts.variant.Extension or "
        "a function add(objects, values)"
    )
