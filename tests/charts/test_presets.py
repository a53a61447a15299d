"""The files of values/, one on another as a user stacks them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from law import assert_law
from rendered_objects import objects_of, run_json, training_container
from rlinf_constructs.helm import HelmChart, Release, merge, yaml_io
from tests_support import ROOT, BothRenderings, kubernetes_faults

STACKS = [
    "h100 single-node",
    "h100 multi-node",
    "h200 multi-node fsx",
    "h100 b200 multi-node",
    "h100 a100 s3",
    "h100 l40s single-node s3",
    "multi-node h100 mlflow",
    "smoke s3 mlflow",
    "h100 rlinf multi-node",
    "h100 h200 rlinf single-node",
]


def stacked(names: str) -> dict[str, Any]:
    """The values of several files, the last one winning."""
    values: dict[str, Any] = {}
    for name in names.split():
        values = merge.overlay(values, yaml_io.load_file(ROOT / "values" / f"{name}.yaml"))
    return values


@pytest.mark.parametrize("names", STACKS)
def test_stacks_render_alike(names: str, renderings_agree: BothRenderings, tmp_path: Path) -> None:
    """Each stack gives the same objects by helm and by Python, and Kubernetes would take them."""
    objects = assert_law(stacked(names), renderings_agree, tmp_path)

    assert objects is not None
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


@pytest.mark.parametrize(
    ("names", "devices"),
    [
        ("h100", (8, 32)),
        ("h200", (8, 16)),
        ("b200", (8, 8)),
        ("a100", (8, 4)),
        ("l40s", (8, 4)),
        ("h100 single-node", (8, None)),
    ],
)
def test_a_preset_asks_for_the_devices_of_its_machine(
    names: str, devices: tuple[int, int | None], chart: HelmChart
) -> None:
    """GPUs and EFA devices of one pod."""
    limits = training_container(objects_of(chart, stacked(names)))["resources"]["limits"]
    assert (limits["nvidia.com/gpu"], limits.get("vpc.amazonaws.com/efa")) == devices


def test_the_order_of_a_machine_and_a_number_of_nodes_does_not_matter(chart: HelmChart) -> None:
    """Presets of different subjects set different keys."""
    assert stacked("h100 multi-node") == stacked("multi-node h100")


@pytest.mark.parametrize("machine", ["h100", "h100 h200", "h100 multi-node rlinf"])
def test_moving_models_from_fsx_to_s3_is_one_change(machine: str, chart: HelmChart) -> None:
    """s3.yaml on the file of a machine: the same path, another volume behind it, the same run."""
    before, after = (objects_of(chart, stacked(names)) for names in (machine, f"{machine} s3"))

    assert _behind_models(before) == "fsx"
    assert _behind_models(after) == "s3-models"
    assert _run(after) == _run(before)
    assert "/models/" in _run(after)


def _behind_models(objects: list[dict[str, Any]]) -> str:
    [name] = [it["name"] for it in training_container(objects)["volumeMounts"] if it["mountPath"] == "/models"]
    return name


def _run(objects: list[dict[str, Any]]) -> str:
    return run_json(objects)


def test_releases_of_one_name_in_two_namespaces_share_no_run_folder(chart: HelmChart) -> None:
    """Both may mount one file system whole."""
    folders = {
        json.loads(_run(chart.render(stacked("h100"), Release(name="rel", namespace=namespace))))["folder"]
        for namespace in ("robots", "arms")
    }

    assert folders == {"/fsx/robots/rel-rlinf", "/fsx/arms/rel-rlinf"}
