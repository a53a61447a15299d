"""Each template function and its twin in Python, asked of real helm."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator

import pytest

from rlinf_constructs.helm import Environment, Expression, Kind, Operand, Reference, Scope, call, yaml_io
from rlinf_constructs.helm.functions import FUNCTIONS
from tests_support import helm_template

VALUES = {
    "map": {"b": "two", "a": "one", "": "", "deep": {"er": 7}},
    "other": {"a": "another", "c": "three"},
    "empty": {},
    "list": ["b", "a", "é", "Z"],
}
MAP, OTHER, EMPTY = (Reference(root="Values", path=(name,), kind=Kind.MAP) for name in ("map", "other", "empty"))
LIST = Reference(root="Values", path=("list",), kind=Kind.LIST)
NUMBERS = (
    *("0", "7", "-7", "+7", "007", "08", "0x1F", "0b11", "0o17"),
    *("1_000", "1__0", "_1", "5.0", "5.5", ".0", "5.", "1e3"),
)
TEXTS = ("", " 7", "a", "libero_10", "libero_10\n", "a.b", "a$", "${x}", "é", "9223372036854775808", *NUMBERS)
PATTERNS = (
    *("^[a-z]+_(10|90)$", "^a$|^b(/|$)", r"\.", r"^\$\{[ -~]*\}$", "[$]", "^$"),
    *("^[0-9.]+", "[A-Za-z]*$", ":[0-9]+$"),
)
WHOLE = (-(2**31), -7, -1, 0, 1, 3, 2**31 - 1)
DECIMALS = (-1.5, 0.0, 0.1, 0.3, 2.0, 1048576.0)


def pairs(function: str, first: tuple[Operand, ...], second: tuple[Operand, ...]) -> Iterator[Expression]:
    """Calls with each first argument and each second one."""
    return (call(function, *arguments) for arguments in itertools.product(first, second))


def calls() -> Iterator[Expression]:
    """Of every function, with what it must not stumble over."""
    for function in ("int64", "sha256sum", "b64enc", "len", "toRawJson"):
        yield from (call(function, text) for text in TEXTS)
    for function in ("regexMatch", "regexFind"):
        yield from pairs(function, PATTERNS, TEXTS)
    for function in ("contains", "hasPrefix", "trimPrefix", "trimAll", "default", "eq", "ne"):
        yield from pairs(function, ("", "a", "${", "libero_"), TEXTS)
    yield from (call("replace", old, "-", text) for old in ("_", "$", "é") for text in TEXTS)
    # Cut inside of a character, Go leaves half of it.
    yield from pairs("trunc", (0, 1, 63), tuple(text for text in TEXTS if text.isascii()))
    for function in ("add", "sub", "mul", "max", "min", "gt", "ge", "lt", "le"):
        yield from pairs(function, WHOLE, WHOLE)
    for function in ("div", "mod"):
        yield from pairs(function, WHOLE, tuple(number for number in WHOLE if number != 0))
    yield from pairs("mulf", DECIMALS, DECIMALS)
    for function in ("floor", "ceil", "int64", "float64"):
        yield from (call(function, number) for number in DECIMALS)
    yield from (call("float64", text) for text in ("7", "-0.5", "1e3", ".5"))
    for function in ("and", "or"):
        yield from (
            call(function, *arguments) for arguments in itertools.product((True, False, "", "a", 0, 3), repeat=2)
        )
    yield from (call("not", value) for value in (True, False, "", "a", 0, 3, MAP, EMPTY))
    yield from (call("ternary", "yes", "no", condition) for condition in (True, False))
    yield from (call("dig", *keys, "none", MAP) for keys in (("a",), ("",), ("x",), ("deep", "er"), ("x", "y")))
    yield from (call("omit", MAP, *keys) for keys in (("a",), ("a", "x"), ("deep", "")))
    # It writes into the first map, which must be one of the template's own.
    yield from (call("merge", call("dict", *own), OTHER) for own in ((), ("a", "mine"), ("a", "", "b", 0)))
    yield from (call("hasKey", MAP, key) for key in ("a", "", "er"))
    yield from (call("kindIs", kind, it) for kind in ("string", "map") for it in (MAP, EMPTY, LIST, "", "a", 1, True))
    yield from (call("len", it) for it in (MAP, EMPTY, LIST))
    yield from (call("toRawJson", it) for it in (MAP, LIST, 1e21, True))
    yield call("dict", "a", 1, "b", "two")
    yield from (call("join", ", ", call("sortAlpha", it)) for it in (LIST, call("keys", MAP)))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Expression, object]]:
    """What helm computes for each call, in one rendering."""
    folder = tmp_path_factory.mktemp("functions")
    chart = folder / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: functions\nversion: 1.0.0\n")
    (chart / "values.yaml").write_text(yaml_io.dump(VALUES))
    asked = list(calls())
    lines = [f'  - {{{{ dict "is" ({it.template(Scope())}) | toRawJson | quote }}}}' for it in asked]
    (chart / "templates" / "answers.yaml").write_text("\n".join(["answers:", *lines]) + "\n")
    rendered = helm_template(chart)
    assert rendered.returncode == 0, rendered.stderr
    return list(zip(asked, (json.loads(it)["is"] for it in yaml_io.load(rendered.stdout)["answers"]), strict=True))


def test_every_function_is_asked(answers: list[tuple[Expression, object]]) -> None:
    """Whoever adds one adds calls of it here."""
    names = {name for asked, _ in answers for name in asked.template(Scope()).replace("(", "").split(" ")}
    assert set(FUNCTIONS) <= names


def test_the_twin_answers_as_helm_does(answers: list[tuple[Expression, object]]) -> None:
    """On texts that are nearly numbers, ends of lines, signs, and what is empty."""
    environment = Environment(values=VALUES)
    wrong = {
        asked.template(Scope()): (answer, asked.evaluate(environment))
        for asked, answer in answers
        if asked.evaluate(environment) != answer
    }
    assert wrong == {}
