"""Expressions: template text and value, side by side."""

from __future__ import annotations

import pytest

from rlinf_constructs.helm import Environment, Expression, Literal, Scope, call, conditional, fmt
from sample_chart import is_large, twice, values, wheels

ENVIRONMENT = Environment(
    values={"mode": "large", "text": "a", "count": 7, "ratio": 0.5, "service": {"enabled": True, "port": 1}},
    files={"data/modes.json": '{"large": {"wheels": 8}}'},
)


@pytest.mark.parametrize(
    ("expression", "text", "value"),
    [
        (values.count, "int64 .Values.count", 7),
        (values.count * 2 + 1, "add (mul (int64 .Values.count) 2) 1", 15),
        (values.count // 2, "div (int64 .Values.count) 2", 3),
        ((values.count - 10) // 2, "div (sub (int64 .Values.count) 10) 2", -1),
        (values.count % 4, "mod (int64 .Values.count) 4", 3),
        (values.mode.equals("large"), 'eq .Values.mode "large"', True),
        (~values.service.enabled, "not .Values.service.enabled", False),
        (
            values.service.enabled & (values.count > 3) & values.text,
            "and .Values.service.enabled (gt (int64 .Values.count) 3) .Values.text",
            "a",
        ),
        (values.text | "x", 'or .Values.text "x"', "a"),
        (call("default", "x", values.text), 'default "x" .Values.text', "a"),
        (conditional(values.count > 3, "many", "few"), 'ternary "many" "few" (gt (int64 .Values.count) 3)', "many"),
        (call("omit", values.service, "port"), 'omit .Values.service "port"', {"enabled": True}),
        (call("regexFind", "^[a-z]+", values.mode), 'regexFind "^[a-z]+" .Values.mode', "large"),
        (wheels, 'int64 (include "sample.wheels" .)', 8),
        (is_large, 'eq (include "sample.isLarge" .) "true"', True),
        (twice("1.5"), 'float64 (include "sample.twice" "1.5")', 3.0),
        (
            fmt("100% of ", values.count, " ", values.ratio),
            'printf "100%% of %d %s" (int64 .Values.count) (toRawJson .Values.ratio)',
            "100% of 7 0.5",
        ),
    ],
)
def test_template_and_value_of_an_expression(expression: Expression, text: str, value: object) -> None:
    """Each node writes Go's prefix notation and computes the same in Python."""
    assert expression.template(Scope()) == text
    assert expression.evaluate(ENVIRONMENT) == value


def test_inside_a_loop_the_root_is_a_dollar() -> None:
    """A `range` rebinds the dot."""
    assert values.text.template(Scope().inside_range()) == "$.Values.text"


def test_an_expression_refuses_to_be_a_python_condition() -> None:
    """`if values.x:` would be decided when the chart is written: the error says what to use instead."""
    with pytest.raises(TypeError, match=r"use when\(\), conditional\(\), & and \|"):
        bool(values.count > 1)


def test_an_unknown_function_is_refused_with_those_that_exist() -> None:
    """Each template function needs a twin in Python."""
    with pytest.raises(
        ValueError, match="unknown template function 'upper': known are add, and, b64enc, ceil, contains"
    ):
        call("upper", "x")


def test_a_misspelt_value_names_the_nearest_one() -> None:
    """A typo in a construct fails when the chart is built, not when it is installed."""
    with pytest.raises(AttributeError, match=r"the values have no 'service\.prot'; did you mean 'port'\?"):
        _ = values.service.prot


def test_literal_strings_are_quoted_for_go() -> None:
    """Quotes and newlines in a literal do not end it."""
    assert Literal('say "hi"\n').template(Scope()) == '"say \\"hi\\"\\n"'
