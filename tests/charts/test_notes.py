"""NOTES.txt: the commands that a user sees after the installation."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rendered_objects import pods_of
from rlinf_constructs.helm import HelmChart, Release, yaml_io

ON_CLUSTER = {
    "mode": "rayjob",
    "rayJob": {"clusterSelector": "shared-rlinf"},
    "ray": {"auth": {"existingSecret": "shared-rlinf-ray-token"}},
    "storage": {"runs": {"existingClaim": "shared-rlinf-runs"}},
}
ON_GPUS = {"nodes": {"count": 2, "gpus": 8}}
VERL = {
    "nodes": {"gpus": 8},
    "training": {"engine": "verl", "hydra": {"actor_rollout_ref": {"model": {"path": "/models/a"}}}},
}
OLD = {"kuberay": {"version": "1.5"}, "ray": {"auth": {"enabled": False}}}
VALUES = {
    "statefulset": {},
    "job": {"mode": "job"},
    "raycluster": {"mode": "raycluster"},
    "raycluster of 1.5": {"mode": "raycluster", **OLD},
    "rayjob": {"mode": "rayjob"},
    "rayjob of 1.5": {"mode": "rayjob", **OLD},
    "rayjob on a cluster": ON_CLUSTER,
}
every_mode = pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)


def notes_of(written_chart: Path, values: dict[str, Any], folder: Path) -> str:
    """What helm prints, without a cluster."""
    file = folder / "values.yaml"
    file.write_text(yaml_io.dump(values))
    command = ["helm", "install", "rel", str(written_chart), "--namespace", "robots", "--values", str(file)]
    done = subprocess.run([*command, "--dry-run=client"], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.rpartition("\nNOTES:\n")[2]


def labels(selector: str) -> dict[str, str]:
    """The labels that a selector of kubectl asks for."""
    return dict(label.split("=", 1) for label in selector.split(","))


@every_mode
def test_every_object_that_is_named_is_installed(
    values: dict[str, Any], chart: HelmChart, written_chart: Path, tmp_path: Path
) -> None:
    """Or made of one that is: the pods of a StatefulSet, the submitter's Job of a RayJob."""
    objects = chart.render(values, Release(name="rel", namespace="robots"))
    made = {(item["kind"].lower(), item["metadata"]["name"]) for item in objects}
    made |= {("pod", f"{name}-0") for kind, name in made if kind == "statefulset"}
    made |= {("job", name) for kind, name in made if kind == "rayjob"}

    notes = notes_of(written_chart, values, tmp_path)
    named = re.findall(r"\b(pod|service|job)/([-a-z0-9]+)|(?:get|delete) (rayjob) ([-a-z0-9]+)", notes)

    assert named
    assert {tuple(filter(None, groups)) for groups in named} <= made


@every_mode
def test_every_selector_finds_a_pod(
    values: dict[str, Any], chart: HelmChart, written_chart: Path, tmp_path: Path
) -> None:
    """By labels of a pod's template, and those that its controller adds."""
    added = {
        "ray.io/node-type": "head",
        "batch.kubernetes.io/job-completion-index": "0",
        "ray.io/cluster": "shared-rlinf",
    }
    pods = [
        {**pod["metadata"]["labels"], **added}
        for _, pod in pods_of(chart.render(values, Release(name="rel", namespace="robots")))
    ]

    selectors = re.findall(r"--selector ([^ \n)]+)", notes_of(written_chart, values, tmp_path))

    assert selectors
    for selector in selectors:
        assert any(labels(selector).items() <= pod.items() for pod in pods), selector


@every_mode
def test_no_value_is_missing(values: dict[str, Any], written_chart: Path, tmp_path: Path) -> None:
    """A template prints what it does not find as <no value>, or as %!s(<nil>)."""
    notes = notes_of(written_chart, values, tmp_path)

    assert notes.startswith("Installed rel-rlinf: 1 node(s) with 0 GPU(s) each,\nengine native, mode ")
    assert not re.search(r"<no value>|<nil>|%!", notes)


@pytest.mark.parametrize(
    ("values", "is_said"),
    [
        (ON_GPUS, True),
        ({"instance": {"type": "g6e.xlarge"}, "nodes": {"count": 2}}, True),
        ({**ON_GPUS, "efa": {"devices": 4}}, False),
        ({**ON_GPUS, "efa": {"enabled": False}}, False),
        ({"nodes": {"gpus": 8}}, False),
        ({"nodes": {"count": 2}}, False),
    ],
    ids=["no type", "a type without", "some", "none wanted", "one node", "CPU"],
)
def test_nodes_that_only_tcp_connects_are_told(
    values: dict[str, Any], is_said: bool, written_chart: Path, tmp_path: Path
) -> None:
    """EFA is on by default, but how many devices an unknown machine has the chart cannot know."""
    assert ("NCCL takes TCP between the nodes" in notes_of(written_chart, values, tmp_path)) is is_said


@pytest.mark.parametrize("tracking", ["wandb", "tensorboard"])
def test_trackers_that_get_nothing_are_told(tracking: str, written_chart: Path, tmp_path: Path) -> None:
    """The native engine has no logger for either."""
    nowhere = "Engine native sends nothing to Weights & Biases"
    values = {"tracking": {tracking: {"enabled": True}}}

    assert nowhere in notes_of(written_chart, values, tmp_path)
    assert nowhere not in notes_of(written_chart, {**values, **VERL}, tmp_path)
    assert nowhere not in notes_of(written_chart, {}, tmp_path)
