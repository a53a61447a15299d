"""`rayStartParams`: options of `ray start` by their names, but for those that are not the user's to set."""

from __future__ import annotations

from typing import Any

import pytest
from ray.scripts.scripts import start

from rendered_objects import objects_of, one, refusal_of
from rlinf_charts.rules import ray_start
from rlinf_charts.values.ray_start import OPTIONS
from rlinf_constructs.helm import HelmChart, ValuesError

REFUSED = [("head", it) for it in ray_start.OF_HEAD] + [("workers", it) for it in ray_start.OF_WORKERS]
# Each of the kind that it has.
GIVEN = {
    "object-store-memory": "10000000000",
    "no-redirect-output": "true",
    "include-log-monitor": "false",
    "resources": "'{\"disk\": 2}'",
    "system-config": '"{\\"health_check_period_ms\\": 5000}"',
    "labels-file": "/code/labels.yaml",
    "log-style": "record",
    "node-ip-address": "$POD_IP",
    "redis-password": "$REDIS_PASSWORD",
    "dashboard-host": "0.0.0.0",
    "system-reserved-cpu": "1.5",
}


def params(group: str, **options: str) -> dict[str, Any]:
    """Values of mode raycluster with options of a group."""
    return {"mode": "raycluster", "nodes": {"count": 2}, "kuberay": {group: {"rayStartParams": options}}}


def test_the_chart_knows_the_options_of_ray() -> None:
    """All that the Ray of our image takes, hidden ones as well."""
    assert {option.removeprefix("--") for it in start.params for option in it.opts if option != "-v"} == OPTIONS


@pytest.mark.parametrize("group", ["head", "workers"])
def test_options_are_handed_on_as_they_are(group: str, chart: HelmChart) -> None:
    """KubeRay makes the command of them, beside those of the chart."""
    spec = one(objects_of(chart, params(group, **GIVEN)), "RayCluster")["spec"]
    [found] = [spec["headGroupSpec"]] if group == "head" else spec["workerGroupSpecs"]

    assert found["rayStartParams"].items() >= GIVEN.items()
    assert found["rayStartParams"]["metrics-export-port"] == "8080"


@pytest.mark.parametrize(("group", "option"), REFUSED)
def test_what_others_set_is_refused_with_what_to_do(group: str, option: str, chart: HelmChart) -> None:
    """By a value that Ray itself would take."""
    is_switch = option in ("block", "head", "include-dashboard")
    [sentence] = refusal_of(chart, params(group, **{option: "true" if is_switch else "1"}))

    assert sentence.startswith(f"kuberay.{group}.rayStartParams has {option}, ")
    assert sentence.endswith(("remove it", " instead"))


def test_a_misspelt_option_is_refused_with_the_nearest(chart: HelmChart) -> None:
    """`ray start` would end each pod on it."""
    with pytest.raises(ValuesError) as refused:
        objects_of(chart, params("workers", **{"object-store-memry": "1"}))

    assert refused.value.sentences[1] == (
        "- at '/kuberay/workers/rayStartParams': additional properties 'object-store-memry' not allowed"
    )
    assert refused.value.hints[0].endswith("did you mean kuberay.workers.rayStartParams.object-store-memory?")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("object-store-memory", "10Gi"),
        ("no-redirect-output", "yes"),
        ("resources", '{"disk": 2}'),
        ("plasma-directory", "/my folder"),
        ("temp-dir", "/tmp; true"),
        ("redis-password", "secret"),
        ("dashboard-host", "localhost"),
    ],
)
def test_a_value_that_would_break_the_command_is_refused(option: str, value: str, chart: HelmChart) -> None:
    """A shell reads it, and then Ray."""
    with pytest.raises(ValuesError) as refused:
        objects_of(chart, params("head", **{option: value}))

    assert refused.value.sentences[1].startswith(f"- at '/kuberay/head/rayStartParams/{option}': ")
    assert refused.value.hints[0].startswith(f"kuberay.head.rayStartParams.{option}: ")
