"""How long it takes to write and to render the chart."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.measurement import Measurement, command, empty_chart, in_turn, seconds

ROOT = Path(__file__).parent.parent.parent
CHART = ROOT / "dist" / "chart"


def measure() -> Iterator[Measurement]:
    """The two times and the two sizes that the README promises."""
    yield from _times()
    yield from _sizes()


def _times() -> Iterator[Measurement]:
    output = Path(tempfile.mkdtemp(prefix="rlinf-bench-")) / "chart"
    # cdk8s-plus alone, whose loading into Node is most of the time and not ours.
    load = "from rlinf_constructs.node import use_packaged_node; use_packaged_node(); import cdk8s_plus_35"
    value, reference = in_turn(
        seconds(command("rlinf-eks", "synth", "--output", output)),
        seconds(command(sys.executable, "-c", load)),
        rounds=7,
    )
    yield Measurement(
        name="rlinf-eks synth",
        value=value,
        unit="s",
        reference=reference,
        reference_name="import cdk8s_plus_35",
        limit=1.5,
    )
    value, reference = in_turn(
        seconds(command("helm", "template", "rlinf", CHART)),
        seconds(command("helm", "template", "empty", empty_chart())),
        rounds=15,
    )
    yield Measurement(
        name="helm template",
        value=value,
        unit="s",
        reference=reference,
        reference_name="helm template of an empty chart",
        limit=0.150,
    )


def _sizes() -> Iterator[Measurement]:
    """What a registry and each revision of a release hold."""
    folder = Path(tempfile.mkdtemp(prefix="rlinf-bench-"))
    subprocess.run(["rlinf-eks", "package", "--output", str(folder)], check=True, capture_output=True)
    [package] = folder.glob("*.tgz")
    files = {path.relative_to(CHART): path.read_bytes() for path in CHART.rglob("*") if path.is_file()}
    unpacked_kb = sum(map(len, files.values())) / 1e3
    yield Measurement(
        name="packaged chart",
        value=package.stat().st_size / 1e3,
        unit="kB",
        reference=unpacked_kb,
        reference_name="the chart's files",
        limit=200,
    )
    yield Measurement(
        name="release Secret",
        value=len(_release_secret(files)) / 1e3,
        unit="kB",
        reference=unpacked_kb,
        reference_name="the chart's files",
        # Half of the 1 MiB that Kubernetes allows: the rest is for a user's values and objects.
        limit=524,
    )


def _release_secret(files: dict[Path, bytes]) -> bytes:
    """The data of a release's Secret, as Helm keeps it: chart and manifest as JSON, packed, in base64."""
    manifest = subprocess.run(
        ["helm", "template", "rlinf", str(CHART), "--values", str(ROOT / "values" / "h100.yaml")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    held: dict[str, Any] = {
        str(path): base64.b64encode(content).decode() for path, content in files.items() if path.name != "Chart.yaml"
    }
    release = {"name": "rlinf", "manifest": manifest, "chart": {"files": held}, "info": {"notes": ""}}
    return base64.b64encode(gzip.compress(json.dumps(release).encode(), compresslevel=9))
