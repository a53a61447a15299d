"""Chart.yaml, as Helm and registries of charts read it."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rendered_objects import objects_of
from rlinf_charts.metadata import OLDEST_KUBERNETES, metadata
from rlinf_charts.validation import KubernetesSchemas
from rlinf_charts.variant import Variant
from rlinf_constructs.helm import HelmChart, yaml_io


def test_helm_has_nothing_to_recommend(written_chart: Path) -> None:
    """Not even in its strictest mood."""
    lint = subprocess.run(["helm", "lint", "--strict", str(written_chart)], capture_output=True, text=True, check=True)
    assert not [line for line in lint.stdout.splitlines() if line.startswith("[")]


@pytest.mark.parametrize("mode", ["statefulset", "job", "raycluster", "rayjob"])
def test_the_oldest_kubernetes_knows_every_field(mode: str, chart: HelmChart) -> None:
    """Of the version in Chart.yaml; Helm has the API server refuse what it does not know."""
    oldest = KubernetesSchemas(".".join(map(str, OLDEST_KUBERNETES)))
    sidecar = {"sidecars": [{"name": "logs", "image": "logs"}]}
    objects = objects_of(chart, {"mode": mode, "nodes": {"count": 2}, **sidecar})

    faults = [fault for it in objects for fault in (oldest.faults(it) if oldest.knows(it) else oldest.pod_faults(it))]
    assert faults == []
    assert metadata(Variant())["kubeVersion"] == f">={oldest.version}.0-0"


def test_the_icon_travels_with_the_chart() -> None:
    """A drawing in the file itself, which browsers can show."""
    head, _, data = metadata(Variant())["icon"].partition(",")

    assert head == "data:image/svg+xml;base64"
    assert ET.fromstring(base64.b64decode(data)).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_links_are_what_artifact_hub_parses() -> None:
    """A text of YAML, a list of names and addresses."""
    [links] = yaml_io.load_all(metadata(Variant())["annotations"]["artifacthub.io/links"])
    assert all(link.keys() == {"name", "url"} and link["url"].startswith("https://") for link in links)


def test_the_sources_of_what_it_runs_are_named() -> None:
    """As addresses that people can open."""
    assert all(source.startswith("https://github.com/") for source in metadata(Variant())["sources"])


def test_a_variant_has_maintainers_of_its_own() -> None:
    """We do not answer for what a team makes of the chart."""
    assert "maintainers" in metadata(Variant())
    assert "maintainers" not in metadata(Variant(name="team-rl"))
