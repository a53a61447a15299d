"""Expressions over a chart's values: written once in Python, read by Helm and by Python.

An expression is an immutable tree. Each node has two interpreters, side by side: `template` writes it as Go template
text, `evaluate` computes it on concrete values. Whoever adds a node, or a function to functions.py, adds both.

More nodes are in named_templates.py, texts.py, files.py and generated.py.

    >>> count = Reference(root="Values", path=("nodes", "count"), kind=Kind.INTEGER)
    >>> (count * 8).template(Scope())
    'mul (int64 .Values.nodes.count) 8'
    >>> (count * 8).evaluate(Environment(values={"nodes": {"count": 2}}))
    16
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Union

from rlinf_constructs.helm import go, markers
from rlinf_constructs.helm.functions import FUNCTIONS
from rlinf_constructs.helm.kinds import Kind


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where in a template an expression stands: inside a `range` the root is `$`, elsewhere `.`."""

    root: str = "."

    def member(self, name: str) -> str:
        """The root's member, such as `.Values` or `$.Values`."""
        return f".{name}" if self.root == "." else f"{self.root}.{name}"

    def inside_range(self) -> Scope:
        """The scope of a `range` block's body."""
        return replace(self, root="$")


@dataclass(frozen=True, kw_only=True)
class Environment:
    """What an evaluation sees: the same objects that Helm gives to a template."""

    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    release: Mapping[str, Any] = field(default_factory=dict[str, Any])
    chart: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    generate: Callable[[str, int], str] = lambda name, length: f"generated:{name}:{length}"
    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def root(self, name: str) -> Mapping[str, Any]:
        """The built-in object of that name: Values, Release or Chart."""
        return {"Values": self.values, "Release": self.release, "Chart": self.chart}[name]

    def bind(self, **variables: object) -> Environment:
        """The same environment with loop variables added."""
        return replace(self, variables={**self.variables, **variables})


Operand = Union["Expression", str, int, float, bool]


class Expression(ABC):
    """A value that is known when the chart is rendered.

    Attributes:
        kind: the type of the value.
        is_body: whether `template` gives the body of a named template, with its own braces, and no action.
    """

    kind: Kind
    is_body: ClassVar[bool] = False

    @abstractmethod
    def template(self, scope: Scope) -> str:
        """The expression as Go template text, without braces."""

    @abstractmethod
    def evaluate(self, environment: Environment) -> Any:
        """The expression's value."""

    def operand(self, scope: Scope) -> str:
        """The template text as an argument of a function: in parentheses where Go needs them."""
        text = self.template(scope)
        return f"({text})" if " " in text and not text.startswith('"') else text

    def is_never_empty(self) -> bool:
        """Whether a list or map has something in it whatever the values are."""
        return False

    def output(self, scope: Scope) -> str:
        """The template text whose printed form is this value as a YAML scalar."""
        text = self.template(scope)
        if self.kind is Kind.STRING:
            return f"{text} | quote"
        return f"{text} | toJson" if self.kind is Kind.NUMBER else text

    def __str__(self) -> str:
        """A marked string, so that an expression can stand in an f-string that a construct hands to cdk8s."""
        # A number or boolean in a string's place is written as text.
        is_text = self.kind in (Kind.STRING, Kind.LIST, Kind.MAP)
        return markers.text(self if is_text else fmt(self))

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no truth value in Python, since it is computed when the chart is rendered: "
            "use when(), conditional(), & and | instead of if, and, or"
        )

    def element(self, name: str) -> Expression:
        """The variable of that name of a loop over this list."""
        return Variable(name=name)

    def entry(self, name: str) -> Expression:
        """The variable of that name of a loop over the values of this map."""
        return Variable(name=name)

    def equals(self, other: Operand) -> Expression:
        """Whether both are equal; a method, since `==` compares the expressions themselves."""
        return call("eq", self, other)

    def differs(self, other: Operand) -> Expression:
        """Whether both differ."""
        return call("ne", self, other)

    def __gt__(self, other: Operand) -> Expression:
        return call("gt", self, other)

    def __ge__(self, other: Operand) -> Expression:
        return call("ge", self, other)

    def __lt__(self, other: Operand) -> Expression:
        return call("lt", self, other)

    def __le__(self, other: Operand) -> Expression:
        return call("le", self, other)

    def __and__(self, other: Operand) -> Expression:
        return call("and", self, other)

    def __or__(self, other: Operand) -> Expression:
        return call("or", self, other)

    def __invert__(self) -> Expression:
        return call("not", self)

    def __add__(self, other: Operand) -> Expression:
        return call("add", self, other)

    def __sub__(self, other: Operand) -> Expression:
        return call("sub", self, other)

    def __mul__(self, other: Operand) -> Expression:
        return call("mul", self, other)

    def __floordiv__(self, other: Operand) -> Expression:
        return call("div", self, other)

    def __mod__(self, other: Operand) -> Expression:
        return call("mod", self, other)


_LITERAL_KINDS = {bool: Kind.BOOLEAN, int: Kind.INTEGER, float: Kind.NUMBER, str: Kind.STRING}


@dataclass(frozen=True, eq=True)
class Literal(Expression):
    """A constant."""

    value: str | int | float | bool

    @property
    def kind(self) -> Kind:  # pyright: ignore[reportIncompatibleVariableOverride] - follows from the value
        """The kind of the constant."""
        return _LITERAL_KINDS[type(self.value)]

    def template(self, scope: Scope) -> str:
        """A Go literal."""
        del scope
        if isinstance(self.value, str):
            return go.quote(self.value)
        # Go compares a float with nothing else than a float.
        is_whole_float = isinstance(self.value, float) and self.value.is_integer() and abs(self.value) < 1e15
        return f"{self.value:.1f}" if is_whole_float else go.json_text(self.value)

    def evaluate(self, environment: Environment) -> Any:
        """The constant itself."""
        del environment
        return self.value


@dataclass(frozen=True, eq=True, kw_only=True)
class Reference(Expression):
    """A path below one of Helm's built-in objects, such as `.Values.nodes.count`."""

    root: str
    path: tuple[str, ...]
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """The dotted path; integers are cast, since Helm reads every number as a float."""
        return _typed(".".join((scope.member(self.root), *self.path)), self.kind)

    def output(self, scope: Scope) -> str:
        """As a pipeline, which reads better than the cast."""
        path = ".".join((scope.member(self.root), *self.path))
        return f"{path} | int64" if self.kind is Kind.INTEGER else super().output(scope)

    def evaluate(self, environment: Environment) -> Any:
        """The value at the path."""
        return _typed_value(_descend(environment.root(self.root), self.path), self.kind)


@dataclass(frozen=True, eq=True, kw_only=True)
class Variable(Expression):
    """A loop's variable, or a member of it."""

    name: str
    path: tuple[str, ...] = ()
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """The variable with a dollar sign."""
        del scope
        return _typed(".".join((f"${self.name}", *self.path)), self.kind)

    def evaluate(self, environment: Environment) -> Any:
        """What the loop bound to it."""
        return _typed_value(_descend(environment.variables[self.name], self.path), self.kind)


def _typed(text: str, kind: Kind) -> str:
    return f"int64 {text}" if kind is Kind.INTEGER else text


def _typed_value(value: Any, kind: Kind) -> Any:
    return go.to_int64(value) if kind is Kind.INTEGER else value


def _descend(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key)
    return value


@dataclass(frozen=True, eq=True)
class Call(Expression):
    """A call of one of the template functions that FUNCTIONS lists."""

    function: str
    arguments: tuple[Expression, ...]
    kind: Kind

    def template(self, scope: Scope) -> str:
        """Go's prefix notation."""
        return " ".join((self.function, *(argument.operand(scope) for argument in self.arguments)))

    def evaluate(self, environment: Environment) -> Any:
        """What the function's Python twin returns."""
        function = FUNCTIONS[self.function]
        values = (argument.evaluate(environment) for argument in self.arguments)
        return function.python(values) if function.is_lazy else function.python(*values)


_COMPARISONS = {"eq", "ne", "gt", "ge", "lt", "le"}
_INTEGER_ARITHMETIC = {"add", "sub", "mul", "div", "mod", "max", "min"}


def as_expression(value: Operand) -> Expression:
    """The value itself when it is an expression, else a literal."""
    return value if isinstance(value, Expression) else Literal(value)


def call(function: str, *arguments: Operand, kind: Kind | None = None) -> Expression:
    """A call of a template function.

    Args:
        function: a name in FUNCTIONS.
        arguments: in the order of the template function.
        kind: overrides the kind of the result, where the function can return any.

    Raises:
        ValueError: for a function without a twin in Python.
    """
    if function not in FUNCTIONS:
        raise ValueError(f"unknown template function {function!r}: known are {', '.join(sorted(FUNCTIONS))}")
    expressions = tuple(map(as_expression, arguments))
    if function in _COMPARISONS and any(expression.kind is Kind.NUMBER for expression in expressions):
        expressions = tuple(map(_as_number, expressions))
    if function in _INTEGER_ARITHMETIC and any(expression.kind is Kind.NUMBER for expression in expressions):
        raise TypeError(f"{function} works on integers in templates, not on {expressions}")
    first = next(iter(expressions), None)
    if FUNCTIONS[function].is_lazy and isinstance(first, Call) and first.function == function:
        expressions = (*first.arguments, *expressions[1:])
    declared = FUNCTIONS[function].kind
    return Call(function, expressions, kind or (expressions[declared].kind if isinstance(declared, int) else declared))


def _as_number(expression: Expression) -> Expression:
    """A float, since Go compares a float with nothing else."""
    if isinstance(expression, Literal):
        return Literal(float(expression.value))
    return expression if expression.kind is Kind.NUMBER else call("float64", expression)


def conditional(condition: Expression, then: Operand, otherwise: Operand) -> Expression:
    """One of two values; both are computed, as Helm's `ternary` does."""
    return call("ternary", then, otherwise, as_boolean(condition))


def as_boolean(condition: Expression) -> Expression:
    """The condition as true or false, since anything may be a condition."""
    return condition if _is_boolean(condition) else ~(~condition)


def _is_boolean(expression: Expression) -> bool:
    """Whether the value is true or false: `and` and `or` hand one of their arguments on, whatever it is."""
    if isinstance(expression, Call) and FUNCTIONS[expression.function].is_lazy:
        return all(map(_is_boolean, expression.arguments))
    return expression.kind is Kind.BOOLEAN


@dataclass(frozen=True, eq=True)
class Format(Expression):
    """Text made of literal and computed parts."""

    parts: tuple[Expression, ...]
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """A `printf`."""
        text = "".join(_verb(part) for part in self.parts)
        computed = [_printable(part, scope) for part in self.parts if not isinstance(part, Literal)]
        return " ".join(["printf", go.quote(text), *computed])

    def evaluate(self, environment: Environment) -> str:
        """The parts, joined."""
        return "".join(_part_text(part, environment) for part in self.parts)


def _verb(part: Expression) -> str:
    if isinstance(part, Literal):
        return str(part.value).replace("%", "%%")
    return "%d" if part.kind is Kind.INTEGER else "%s"


def _printable(part: Expression, scope: Scope) -> str:
    plain = part.kind in (Kind.INTEGER, Kind.STRING)
    return part.operand(scope) if plain else f"(toRawJson {part.operand(scope)})"


def _part_text(part: Expression, environment: Environment) -> str:
    value = part.evaluate(environment)
    return str(value) if part.kind in (Kind.INTEGER, Kind.STRING) else go.json_text(value)


def fmt(*parts: Operand) -> Expression:
    """Join parts to a text: `fmt("nodes.count is ", values.nodes.count)`; the parts of such texts are joined to one."""
    expressions = map(as_expression, parts)
    return Format(tuple(part for item in expressions for part in (item.parts if isinstance(item, Format) else [item])))
