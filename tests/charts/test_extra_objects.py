"""Whole objects that users add: none has the name of one that the chart makes, or of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from law import assert_law
from rendered_objects import named, objects_of, refusal_of
from rlinf_constructs.helm import HelmChart
from tests_support import BothRenderings

EVERYTHING = {
    "storage": {
        "fsx": {"fileSystemId": "fs-0123456789abcdef0", "dnsName": "fs-0123456789abcdef0.fsx", "mountName": "fsx"},
        "s3": {"models": {"bucket": "models"}, "data": {"bucket": "data"}},
    },
    "dashboard": {"ingress": {"enabled": True, "host": "ray.team.internal"}},
    "networkPolicy": {"dashboardFrom": [{"podSelector": {}}]},
    "podMonitor": {"enabled": True},
    "scheduling": {"volcanoQueue": "team"},
}
NEW_FILE_SYSTEM = {"storage": {"fsx": {"storageClassName": "fsx"}}}
SEPARATE_HEAD = {"kuberay": {"head": {"separate": True}}}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}


def like(item: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """Another object of the same kind and name."""
    return {
        "apiVersion": item["apiVersion"],
        "kind": item["kind"],
        "metadata": {"name": item["metadata"]["name"], **metadata},
    }


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
@pytest.mark.parametrize(
    "values", [EVERYTHING, NEW_FILE_SYSTEM, SEPARATE_HEAD], ids=["everything", "new file system", "separate head"]
)
def test_no_object_of_the_chart_can_be_made_twice(mode: str, values: dict[str, Any], chart: HelmChart) -> None:
    """Whatever it makes with these values, another of that kind and name is refused, by its number and name."""
    values = {"mode": mode, **values}
    others = [like(item) for item in objects_of(chart, values)]

    sentences = refusal_of(chart, {**values, "extraObjects": others})

    assert [it.split(", which the chart makes itself")[0] for it in sentences] == [
        f"extraObjects.{index} is {item['kind']} {item['metadata']['name']}" for index, item in enumerate(others)
    ]


def test_the_sentence_says_what_to_do(chart: HelmChart) -> None:
    """With a name that is free."""
    taken = like(named(objects_of(chart), "ConfigMap", "rel-rlinf-launch"))
    mine, theirs = refusal_of(chart, {"extraObjects": [taken, CONFIG, CONFIG]})

    assert mine == (
        "extraObjects.0 is ConfigMap rel-rlinf-launch, which the chart makes itself, and of two with one name a "
        "cluster keeps one: take another name, such as rel-rlinf-launch-extra"
    )
    assert theirs == (
        "extraObjects.2 is ConfigMap mine, and so is extraObjects.1: of two with one name a cluster keeps one; rename "
        "or remove one of them"
    )


@pytest.mark.parametrize(
    "values",
    [
        {"serviceAccount": {"create": False}},
        {"networkPolicy": {"enabled": False}},
        {"storage": {"runs": {"existingClaim": "rel-rlinf-runs"}}},
        {"mode": "raycluster"},
    ],
    ids=["account", "policy", "claim", "other mode"],
)
def test_what_the_chart_does_not_make_can_be_made_in_its_place(values: dict[str, Any], chart: HelmChart) -> None:
    """With the very name that the chart would have given it."""
    others = [like(item) for item in objects_of(chart)]
    there = [like(item) for item in objects_of(chart, values)]
    free = [item for item in others if item not in there]

    assert free
    assert objects_of(chart, {**values, "extraObjects": free})


@pytest.mark.parametrize(
    "other",
    [
        like(CONFIG, namespace="elsewhere"),
        {**CONFIG, "apiVersion": "example.com/v1"},
        {**CONFIG, "kind": "Secret"},
        like(CONFIG, annotations={"helm.sh/hook": "pre-upgrade"}),
    ],
    ids=["namespace", "API group", "kind", "hook"],
)
def test_one_name_may_be_that_of_several_things(
    other: dict[str, Any], renderings_agree: BothRenderings, tmp_path: Path
) -> None:
    """Objects differ by namespace, group and kind as well, and helm, too, takes both."""
    objects = assert_law({"extraObjects": [CONFIG, other]}, renderings_agree, tmp_path)

    assert objects is not None
    assert [item for item in (CONFIG, other) if item in objects] == [CONFIG, other]
