"""Go's formatting in Python, held against real helm where a law can be asked of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated_values import JSON, TEXT
from rlinf_constructs.helm import go, yaml_io


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-1, "-1"),
        (2.0, "2"),
        (-2.5, "-2.5"),
        (123456789.5, "123456789.5"),
        (1e6, "1000000"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (5e-6, "0.000005"),
        (5e-7, "5e-7"),
        (1.5e-10, "1.5e-10"),
    ],
)
def test_numbers_are_written_as_go_writes_them(number: float, text: str) -> None:
    """As Go's encoding/json: exponents only below 1e-6 and from 1e21 on."""
    assert go.number_text(number) == text


@given(JSON)
def test_json_text_is_json(value: object) -> None:
    """Whatever is written is read back the same."""
    assert json.loads(go.json_text(value)) == value


@given(TEXT)
def test_quoted_text_is_a_yaml_scalar(text: str) -> None:
    """Go's %q is also YAML: a quoted text is read back as it was."""
    assert yaml_io.load(go.quote(text)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_value(number: float) -> None:
    """No digit is lost."""
    assert float(go.number_text(number)) == number
