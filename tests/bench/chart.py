"""How long it takes to write and to render the chart."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measurement import Measurement, command, empty_chart, in_turn, seconds

ROOT = Path(__file__).parent.parent.parent
CHART = ROOT / "dist" / "chart"


def measure() -> Iterator[Measurement]:
    """The two times that the README promises."""
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
