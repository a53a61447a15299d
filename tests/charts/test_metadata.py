"""Chart.yaml, as Helm and registries of charts read it."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

from rlinf_charts.metadata import metadata
from rlinf_charts.variant import Variant
from rlinf_constructs.helm import yaml_io


def test_helm_has_nothing_to_recommend(written_chart: Path) -> None:
    """Not even in its strictest mood."""
    lint = subprocess.run(["helm", "lint", "--strict", str(written_chart)], capture_output=True, text=True, check=True)
    assert not [line for line in lint.stdout.splitlines() if line.startswith("[")]


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
