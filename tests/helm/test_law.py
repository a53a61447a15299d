"""The law of the kit: `helm template` of the written chart equals the plain rendering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rlinf_constructs.helm import HelmChart, Release, ValuesError, yaml_io
from tests_support import helm_template, objects_by_name

# What YAML itself cannot hold unescaped: control characters, surrogates and non-characters.
TEXT = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Cn"], exclude_characters="\ufeff"), max_size=12
) | st.sampled_from(
    [
        "no",
        "1e3",
        "a: b",
        "one\ntwo\n",
        "{{ .Values }}",
        "",
        " ",
        "~",
        "0x10",
        "'",
        '"',
        "#",
        "- x",
        "a\tb",
        "\\n",
        "%s",
        "1:30",
        "=",
        "\n",
    ]
)
JSON = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6, allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["small", "large"]),
        "text": TEXT,
        "count": st.integers(0, 10**9),
        "ratio": st.floats(0, 1e9) | st.floats(0, 1e-5),
        "service": st.fixed_dictionaries({}, optional={"enabled": st.booleans(), "port": st.integers(1, 65535)}),
        "claims": st.lists(
            st.fixed_dictionaries(
                {"name": st.from_regex("[a-z][a-z0-9]{0,5}", fullmatch=True), "readOnly": st.booleans()}
            ),
            max_size=3,
        ),
        "names": st.lists(TEXT, max_size=3),
        "environment": st.dictionaries(st.from_regex("[A-Z_]{1,8}", fullmatch=True), TEXT, max_size=3),
        "tree": st.dictionaries(TEXT, JSON, max_size=3),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=VALUES)
def test_plain_rendering_equals_helm_template(
    values: dict[str, Any], sample: HelmChart, written_sample: Path, tmp_path: Path
) -> None:
    """Whatever the values, both renderings give the same objects, or refuse in the same words."""
    file = tmp_path / "values.yaml"
    file.write_text(yaml_io.dump(values), encoding="utf-8")
    assert yaml_io.load_file(file) == values

    by_helm = helm_template(written_sample, file)
    try:
        by_python = sample.render(values, Release(name="rel"))
    except ValuesError as refusal:
        assert by_helm.returncode != 0
        for sentence in refusal.sentences:
            assert sentence in by_helm.stderr
        return
    assert by_helm.returncode == 0, by_helm.stderr
    assert objects_by_name(by_python) == objects_by_name(yaml_io.load_all(by_helm.stdout))
