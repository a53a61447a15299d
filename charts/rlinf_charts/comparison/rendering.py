"""The chart's objects, with the Secrets that an upgrade would keep in place of new random ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rlinf_constructs.helm import HelmChart, Release

Secrets = Mapping[str, Mapping[str, str]]


def secrets_in(objects: Iterable[dict[str, Any]]) -> Secrets:
    """The data of all Secrets by their names."""
    return {item["metadata"]["name"]: item.get("data", {}) for item in objects if item["kind"] == "Secret"}


def objects_of(chart: HelmChart, values: dict[str, Any], release: Release, secrets: Secrets) -> list[dict[str, Any]]:
    """What helm would install.

    Args:
        chart: to render.
        values: over its defaults.
        release: name and namespace.
        secrets: those that are there; what is not is left empty, since a random value differs from itself.

    Raises:
        ValuesError: when the chart refuses the values.
    """
    environment = chart.environment(values, release)
    chart.check(environment)
    return chart.evaluate(replace(environment, generate=lambda name, _: next(iter(secrets.get(name, {}).values()), "")))
