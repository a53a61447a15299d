"""What docs/guides/gitops.md promises to tools that render the chart without the cluster, and to parent charts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from rlinf_constructs.helm import yaml_io
from tests_support import helm_template


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_with_a_secret_of_ones_own_two_renderings_are_the_same(mode: str, written_chart: Path) -> None:
    """Byte for byte, so that an application is in sync; without it the token differs, and nothing else."""
    options = ("--set", f"mode={mode}")
    own = (*options, "--set", "ray.auth.existingSecret=ray-token")

    assert helm_template(written_chart, options=own).stdout == helm_template(written_chart, options=own).stdout

    first, second = (helm_template(written_chart, options=options).stdout.splitlines() for _ in range(2))
    assert [line.split(":")[0].strip() for line, other in zip(first, second, strict=True) if line != other] == [
        "auth_token"
    ]


@pytest.fixture
def parent(written_chart: Path, tmp_path: Path) -> Path:
    """A chart that has ours twice, under two aliases."""
    ours = {"name": "rlinf", "version": _version(written_chart), "repository": f"file://{written_chart}"}
    dependencies = [{**ours, "alias": alias, "condition": f"{alias}.enabled"} for alias in ("arms", "legs")]
    chart = {"apiVersion": "v2", "name": "platform", "version": "0.1.0", "dependencies": dependencies}
    (tmp_path / "Chart.yaml").write_text(yaml_io.dump(chart))
    values = {
        "global": {"imageRegistry": "mirror.internal"},
        "arms": {"enabled": True, "image": {"repository": "robots/arms"}},
        "legs": {"enabled": True, "mode": "job"},
    }
    (tmp_path / "values.yaml").write_text(yaml_io.dump(values))
    update = ["helm", "dependency", "update", "--skip-refresh", str(tmp_path)]
    subprocess.run(update, check=True, capture_output=True, timeout=60)
    return tmp_path


def _version(chart: Path) -> str:
    return yaml_io.load((chart / "Chart.yaml").read_text())["version"]


def _objects(parent: Path, *options: str) -> list[dict[str, Any]]:
    return [item for item in yaml_io.load_all(helm_template(parent, options=options).stdout) if item]


def test_a_parent_may_have_it_twice(parent: Path) -> None:
    """Each alias has its own values and names, and its services and policies select its own pods."""
    objects = _objects(parent)
    runs = {item["kind"]: item["metadata"]["name"] for item in objects if item["kind"] in ("StatefulSet", "Job")}
    selectors = [item["spec"]["selector"] for item in objects if item["kind"] == "Service"]
    [trainer] = next(it for it in objects if it["kind"] == "StatefulSet")["spec"]["template"]["spec"]["containers"]

    assert runs["StatefulSet"] == "rel-arms"
    assert runs["Job"].startswith("rel-legs-")
    assert {selector["app.kubernetes.io/name"] for selector in selectors} == {"arms", "legs"}
    assert trainer["image"].startswith("robots/arms:")


def test_a_parent_turns_it_off_by_its_condition(parent: Path) -> None:
    """And the other stays."""
    kinds = {item["kind"] for item in _objects(parent, "--set", "legs.enabled=false")}

    assert "StatefulSet" in kinds
    assert "Job" not in kinds


def test_a_refusal_names_the_alias(parent: Path) -> None:
    """Whose values are at fault, of the rules and of the schema."""
    of_a_rule = helm_template(parent, options=("--set", "legs.nodes.count=3")).stderr
    of_the_schema = helm_template(parent, options=("--set", "arms.image.tga=1")).stderr

    assert "platform/charts/legs/templates/rules.yaml" in of_a_rule
    assert "arms:\n- at '/image': additional properties 'tga' not allowed" in of_the_schema


def test_a_release_of_its_own_has_no_switch(written_chart: Path) -> None:
    """`enabled` is the parent's, which has read a false one before: here it would be ignored."""
    done = helm_template(written_chart, options=("--set", "enabled=false"))
    assert "at '/enabled': value must be true" in done.stderr
