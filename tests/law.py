"""The law on generated values, for any chart: `helm template` of the written chart equals the plain rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings

from rlinf_constructs.helm import yaml_io
from tests_support import BothRenderings


def examples(count: int) -> settings:
    """As many examples by real helm; shrinking a failure would take minutes."""
    return settings(
        max_examples=count,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.reuse, Phase.generate],
    )


def assert_law(values: dict[str, Any], renderings_agree: BothRenderings, folder: Path) -> list[dict[str, Any]] | None:
    """Both renderings give the same objects, or refuse in the same words.

    Returns:
        The objects, or None when both refused.
    """
    file = folder / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")
    read = yaml_io.load_file(file)
    assert read == values
    # Not the values themselves: YAML knows no negative zero.
    return renderings_agree(read, file)
