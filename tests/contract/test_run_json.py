"""The contract: what the chart renders as run.json is what the runtime's own loader reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rendered_objects import run_json
from rlinf_charts.chart import rlinf_chart
from rlinf_constructs.helm import HelmChart, Release, yaml_io
from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines.launch import launch
from tests_support import ROOT

MODEL = {"actor_rollout_ref": {"model": {"path": "/models/vla"}}}
VALUES_FILES = sorted((ROOT / "values").glob("*.yaml"))


@pytest.fixture(scope="module")
def chart() -> HelmChart:
    return rlinf_chart()


def rendered_run(chart: HelmChart, values: dict[str, Any], folder: Path) -> run_config.Run:
    """The run.json of a rendering, read by the runtime."""
    objects = chart.render(values, Release(name="rel", namespace="robots"))
    text = run_json(objects)
    file = folder / "run.json"
    file.write_text(text, encoding="utf-8")
    return run_config.from_file(file)


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
@pytest.mark.parametrize("file", VALUES_FILES, ids=lambda file: file.stem)
def test_each_values_file_gives_a_run_that_the_bootstrap_accepts(
    file: Path, mode: str, chart: HelmChart, tmp_path: Path
) -> None:
    """In each mode the loader accepts the run, and the engine's command can be resolved from it."""
    run = rendered_run(chart, {**yaml_io.load_file(file), "mode": mode}, tmp_path)

    assert run.config.folder.endswith("/rel-rlinf")
    assert "python" in launch(run.config, attempt.preview(run.config), {}).program[0]


def test_hydra_values_arrive_unharmed(chart: HelmChart, tmp_path: Path) -> None:
    """Awkward texts, numbers and nesting of training.hydra are the same on the other side."""
    awkward = {"no": "no", "list": [1, 2.5, "a,b"], "text": "{{ x }}\n'\"", "small": 5e-6, "empty": {}}
    hydra = {"+awkward": awkward, **MODEL}

    run = rendered_run(chart, {"training": {"engine": "verl", "hydra": hydra}}, tmp_path)

    assert run.config.engine.hydra == hydra


def test_a_run_in_a_command_line_is_the_one_that_the_chart_wrote(chart: HelmChart) -> None:
    """As for a job on a cluster of another release, whose pods mount that one's run.json."""
    values = {
        "mode": "rayjob",
        "rayJob": {"clusterSelector": "shared"},
        "ray": {"auth": {"existingSecret": "token"}},
        "storage": {"runs": {"existingClaim": "runs"}},
        "training": {"engine": "verl", "hydra": {"+note": "${oc.env:HOME} '\"", **MODEL}},
    }
    objects = chart.render(values, Release(name="rel", namespace="robots"))
    [entrypoint] = [item["spec"]["entrypoint"] for item in objects if item["kind"] == "RayJob"]

    run = run_config.from_base64(entrypoint.split()[-1])

    assert run.config.engine.hydra == {"+note": "${oc.env:HOME} '\"", **MODEL}
    assert run.config.ray.head_host == "shared-head.robots.svc"
