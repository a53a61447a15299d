"""All checks in their order; each needs what the one before has found good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rlinf_charts.validation.faults import Fault, Given
from rlinf_charts.validation.kubernetes import KubernetesSchemas
from rlinf_charts.validation.room import room_faults
from rlinf_charts.validation.values import values_faults, with_origin
from rlinf_constructs.helm import HelmChart, Release


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was found.

    Attributes:
        faults: none when the values are good.
        not_checked: kinds that no schema is there for, since they are an operator's.
    """

    faults: list[Fault]
    not_checked: list[str]


def check(
    chart: HelmChart,
    values: dict[str, Any],
    sources: Sequence[Given],
    release: Release,
    schemas: Sequence[KubernetesSchemas],
) -> Report:
    """Check values, and the objects that they give.

    Args:
        chart: whose values they are.
        values: of all sources.
        sources: the values as they were given, the last one winning.
        release: name and namespace.
        schemas: of the versions of Kubernetes that must take the objects.
    """
    faults = values_faults(chart, chart.environment(values, release), sources)
    if faults:
        return Report(faults=faults, not_checked=[])
    objects = chart.render(values, release)
    unknown = [f"{it['kind']} ({it['apiVersion']})" for it in objects for schema in schemas if not schema.knows(it)]
    return Report(
        faults=[
            with_origin(fault, item, values, sources) for item in objects for fault in _object_faults(item, schemas)
        ],
        not_checked=list(dict.fromkeys(unknown)),
    )


def _object_faults(item: dict[str, Any], schemas: Sequence[KubernetesSchemas]) -> list[Fault]:
    refused = [
        fault
        for schema in schemas
        for fault in (schema.faults(item) if schema.knows(item) else schema.pod_faults(item))
    ]
    return [*refused, *room_faults(item)]
