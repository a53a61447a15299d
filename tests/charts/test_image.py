"""`image` and `podSecurity`: what a registry and a cluster call things."""

from __future__ import annotations

import pytest

from rendered_objects import objects_of, pod_spec, refusal_of
from rlinf_constructs.helm import HelmChart


@pytest.mark.parametrize(
    "repository", ["rlinf", "team/rlinf", "registry.team.internal:5000/rl/rlinf", "localhost:5000/a"]
)
def test_a_registry_may_have_a_port(repository: str, chart: HelmChart) -> None:
    """The only place of a colon."""
    spec = pod_spec(objects_of(chart, {"image": {"repository": repository, "tag": "v1"}}))
    assert spec["containers"][0]["image"] == f"{repository}:v1"


@pytest.mark.parametrize("repository", ["rlinf:v1", "registry.team.internal:5000/rl/rlinf:v1", "https://team/rlinf"])
def test_a_repository_has_no_tag(repository: str, chart: HelmChart) -> None:
    """With a second one behind it, every pod would end as InvalidImageName."""
    [_, sentence] = refusal_of(chart, {"image": {"repository": repository}})
    assert sentence.startswith(f"- at '/image/repository': '{repository}' does not match pattern")


@pytest.mark.parametrize("group", ["runAsGroup", "fsGroup"])
def test_a_group_may_be_0(group: str, chart: HelmChart) -> None:
    """As images for OpenShift expect, whose user ids come from the namespace; the user is still not root.

    The Pod Security Standard `restricted` asks who the user is, and nothing of groups.
    """
    spec = pod_spec(objects_of(chart, {"podSecurity": {"runAsUser": 1000680000, group: 0}}))
    assert spec["securityContext"][group] == 0
    assert spec["securityContext"]["runAsNonRoot"] is True
