"""Bad values are refused by Python in the words of real helm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlinf_constructs.helm import HelmChart, Release, ValuesError, yaml_io
from tests_support import faults, helm_template

BAD_VALUES: list[dict[str, Any]] = [
    {"mod": "small"},
    {"mode": "medium"},
    {"count": "two"},
    {"count": -1},
    {"count": 1.5},
    {"text": None},
    {"text": ["a"]},
    {"ratio": -0.5},
    {"service": {"port": 0, "enabeld": True}},
    {"service": {"port": 70000}},
    {"service": None},
    {"service": "yes"},
    {"claims": [{"readOnly": True}]},
    {"claims": [{"name": "A"}, {"name": "b", "x": 1}]},
    {"claims": {"name": "a"}},
    {"environment": {"A": 1}},
    {"mode": "large", "count": 1},
    {"names": [1, "a", True]},
    {"volumes": [{"name": "a"}, {"name": "extra"}, {"emptyDir": {}}]},
    {"volumes": [{"name": "a"}, {"name": "extra", "hostPath": {"path": "/"}}, {"name": "extra"}]},
    {"containers": [{"name": "a"}, {"name": "b"}], "environment": {"a": "1", "b": "2"}},
]


@pytest.mark.parametrize("values", BAD_VALUES, ids=str)
def test_helm_and_python_refuse_in_the_same_words(
    values: dict[str, Any], sample: HelmChart, written_sample: Path, tmp_path: Path
) -> None:
    """Every fault, sentence for sentence."""
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values))

    with pytest.raises(ValuesError) as refusal:
        sample.render(values, Release(name="rel"))

    by_helm = helm_template(written_sample, file)
    assert faults("\n".join(refusal.value.sentences)) == faults(by_helm.stderr)


def test_a_wrong_key_gets_the_nearest_one_as_a_hint(sample: HelmChart) -> None:
    """What helm's words leave open, Python adds."""
    with pytest.raises(ValuesError) as refusal:
        sample.render({"service": {"enabeld": True}}, Release(name="rel"))
    assert refusal.value.hints == [
        "service.enabeld is not a key of this chart: here it has enabled, port; did you mean service.enabled?"
    ]


def test_the_keys_of_a_place_are_told_once(sample: HelmChart) -> None:
    """A file for another chart has many wrong keys, and what is asked of each is whether another was meant."""
    with pytest.raises(ValuesError) as refusal:
        sample.render({"service": {"enabeld": True, "host": "a"}}, Release(name="rel"))
    assert refusal.value.hints == [
        "service.enabeld is not a key of this chart; did you mean service.enabled?",
        "service.host is not a key of this chart: here it has enabled, port",
    ]
