"""Expressions over a chart's values: written once in Python, read by Helm and by Python.

An expression is an immutable tree. Each node has two interpreters, side by side: `template` writes it as Go template
text, `evaluate` computes it on concrete values. Whoever adds a node or a function adds both.

    >>> count = Reference(root="Values", path=("nodes", "count"), kind=Kind.INTEGER)
    >>> (count * 8).template(Scope())
    'mul (int64 .Values.nodes.count) 8'
    >>> (count * 8).evaluate(Environment(values={"nodes": {"count": 2}}))
    16
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, Union

from rlinf_constructs.helm import go, yaml_io

__all__ = [
    "Applied",
    "Argument",
    "Block",
    "Call",
    "Environment",
    "Expression",
    "FileData",
    "Files",
    "Format",
    "Function",
    "Generated",
    "Helper",
    "JsonText",
    "Kind",
    "Literal",
    "MapOf",
    "Only",
    "Operand",
    "Reference",
    "Scope",
    "Variable",
    "as_boolean",
    "as_expression",
    "call",
    "conditional",
    "escape_delimiters",
    "fmt",
    "is_never_empty",
]


class Kind(Enum):
    """The type of an expression's value."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"
    MAP = "map"


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
    """A value that is known when the chart is rendered."""

    kind: Kind

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

    def output(self, scope: Scope) -> str:
        """The template text whose printed form is this value as a YAML scalar."""
        text = self.template(scope)
        if self.kind is Kind.STRING:
            return f"{text} | quote"
        return f"{text} | toJson" if self.kind is Kind.NUMBER else text

    def __str__(self) -> str:
        """A placeholder, so that an expression can stand in an f-string that a construct hands to cdk8s."""
        from rlinf_constructs.helm import placeholders  # noqa: PLC0415 - placeholders are made of expressions

        return placeholders.string(self)

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


@dataclass(frozen=True, eq=True)
class Literal(Expression):
    """A constant."""

    value: str | int | float | bool

    @property
    def kind(self) -> Kind:  # pyright: ignore[reportIncompatibleVariableOverride] - follows from the value
        """The kind of the constant."""
        kinds = {bool: Kind.BOOLEAN, int: Kind.INTEGER, float: Kind.NUMBER, str: Kind.STRING}
        return kinds[type(self.value)]

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
        if self.function in _LAZY:
            return _LAZY[self.function](self.arguments, environment)
        return FUNCTIONS[self.function].python(*(argument.evaluate(environment) for argument in self.arguments))


@dataclass(frozen=True, kw_only=True)
class TemplateFunction:
    """A template function and its twin in Python.

    Attributes:
        kind: of the result; a number stands for the kind of that argument.
        python: the twin.
    """

    kind: Kind | int
    python: Callable[..., Any]


def _dig(*arguments: Any) -> Any:
    *keys, default, value = arguments
    for key in keys:
        if key not in value:
            return default
        value = value[key]
    return value


def _without_empty(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if go.truth(value)}


def _omit(mapping: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


def _regex_find(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found.group() if found else ""


def _decimal_product(a: float, b: float) -> float:
    """Sprig multiplies in decimal, without loss."""
    return float(Fraction(repr(float(a))) * Fraction(repr(float(b))))


def _go_length(value: Any) -> int:
    """Go counts the bytes of a text."""
    return len(value.encode() if isinstance(value, str) else value)


def _trunc(length: int, text: str) -> str:
    return text.encode()[:length].decode(errors="ignore")


def _truncated_division(dividend: int, divisor: int) -> int:
    return abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)


def _first_that_is(wanted: bool, arguments: tuple[Expression, ...], environment: Environment) -> Any:
    """The first value whose truth is the wanted one, else the last; what follows it is not evaluated."""
    value: Any = not wanted
    for argument in arguments:
        value = argument.evaluate(environment)
        if go.truth(value) is wanted:
            break
    return value


_COMPARISONS = {"eq", "ne", "gt", "ge", "lt", "le"}
_INTEGER_ARITHMETIC = {"add", "sub", "mul", "div", "mod", "max", "min"}

_LAZY: dict[str, Callable[[tuple[Expression, ...], Environment], Any]] = {
    "and": partial(_first_that_is, False),
    "or": partial(_first_that_is, True),
}

FUNCTIONS: dict[str, TemplateFunction] = {
    # These two are evaluated lazily, see _LAZY.
    "and": TemplateFunction(kind=Kind.BOOLEAN, python=all),
    "or": TemplateFunction(kind=Kind.BOOLEAN, python=any),
    "not": TemplateFunction(kind=Kind.BOOLEAN, python=lambda value: not go.truth(value)),
    "eq": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a == b),
    "ne": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a != b),
    "gt": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a > b),
    "ge": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a >= b),
    "lt": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a < b),
    "le": TemplateFunction(kind=Kind.BOOLEAN, python=lambda a, b: a <= b),
    "add": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a + b),
    "sub": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a - b),
    "mul": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a * b),
    "div": TemplateFunction(kind=Kind.INTEGER, python=_truncated_division),
    "mod": TemplateFunction(kind=Kind.INTEGER, python=lambda a, b: a - b * _truncated_division(a, b)),
    "max": TemplateFunction(kind=Kind.INTEGER, python=max),
    "min": TemplateFunction(kind=Kind.INTEGER, python=min),
    "int64": TemplateFunction(kind=Kind.INTEGER, python=go.to_int64),
    "float64": TemplateFunction(kind=Kind.NUMBER, python=float),
    "mulf": TemplateFunction(kind=Kind.NUMBER, python=_decimal_product),
    "len": TemplateFunction(kind=Kind.INTEGER, python=_go_length),
    "default": TemplateFunction(kind=1, python=lambda fallback, value: value if go.truth(value) else fallback),
    "ternary": TemplateFunction(kind=0, python=lambda yes, no, condition: yes if condition else no),
    "dig": TemplateFunction(kind=-2, python=_dig),
    "dict": TemplateFunction(kind=Kind.MAP, python=lambda *pairs: dict(zip(pairs[::2], pairs[1::2], strict=True))),
    # Sprig's merge also fills what is empty in the first map.
    "merge": TemplateFunction(kind=Kind.MAP, python=lambda first, second: {**first, **second, **_without_empty(first)}),
    "omit": TemplateFunction(kind=Kind.MAP, python=_omit),
    "hasKey": TemplateFunction(kind=Kind.BOOLEAN, python=lambda mapping, key: key in mapping),
    "contains": TemplateFunction(kind=Kind.BOOLEAN, python=lambda part, text: part in text),
    "hasPrefix": TemplateFunction(kind=Kind.BOOLEAN, python=lambda prefix, text: text.startswith(prefix)),
    "regexMatch": TemplateFunction(kind=Kind.BOOLEAN, python=lambda pattern, text: bool(re.search(pattern, text))),
    "keys": TemplateFunction(kind=Kind.LIST, python=list),
    "sortAlpha": TemplateFunction(kind=Kind.LIST, python=lambda items: sorted(items, key=str.encode)),
    "join": TemplateFunction(kind=Kind.STRING, python=lambda separator, items: separator.join(items)),
    "replace": TemplateFunction(kind=Kind.STRING, python=lambda old, new, text: text.replace(old, new)),
    "trimPrefix": TemplateFunction(kind=Kind.STRING, python=lambda prefix, text: text.removeprefix(prefix)),
    "regexFind": TemplateFunction(kind=Kind.STRING, python=_regex_find),
    "trimAll": TemplateFunction(kind=Kind.STRING, python=lambda characters, text: text.strip(characters)),
    "trunc": TemplateFunction(kind=Kind.STRING, python=_trunc),
    "sha256sum": TemplateFunction(kind=Kind.STRING, python=lambda text: hashlib.sha256(text.encode()).hexdigest()),
    "b64enc": TemplateFunction(kind=Kind.STRING, python=lambda text: base64.b64encode(text.encode()).decode()),
    "toRawJson": TemplateFunction(kind=Kind.STRING, python=go.json_text),
}


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
    first = expressions[0]
    if function in _LAZY and isinstance(first, Call) and first.function == function:
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
    """The condition as true or false: `and` and `or` may hand on another value, and anything may be a condition."""
    is_bool = condition.kind is Kind.BOOLEAN and not (isinstance(condition, Call) and condition.function in _LAZY)
    return condition if is_bool else ~(~condition)


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


@dataclass(frozen=True, eq=True)
class Helper(Expression):
    """A named template of the chart, defined once in `_helpers.tpl` and included by name.

    Attributes:
        name: the template's name, such as `rlinf.fullname`.
        body: what it stands for; a map's template prints YAML.
        about: the comment above its definition.
    """

    name: str
    body: Expression
    about: str

    @property
    def kind(self) -> Kind:  # pyright: ignore[reportIncompatibleVariableOverride] - follows from the body
        """The kind of the body."""
        return self.body.kind

    def template(self, scope: Scope) -> str:
        """An `include`, which gives text: numbers are read from it again."""
        return _from_text(f'include "{self.name}" {scope.root}', self.kind)

    def operand(self, scope: Scope) -> str:
        """As the argument of a function, the text of a map is read again."""
        return f"(fromYaml ({self.template(scope)}))" if self.kind is Kind.MAP else super().operand(scope)

    def evaluate(self, environment: Environment) -> Any:
        """The body's value."""
        value = self.body.evaluate(environment)
        return go.truth(value) if self.kind is Kind.BOOLEAN else value


def _from_text(text: str, kind: Kind) -> str:
    if kind is Kind.BOOLEAN:
        # The text "false" would be true for an `if`.
        return f'eq ({text}) "true"'
    cast = {Kind.INTEGER: "int64", Kind.NUMBER: "float64"}.get(kind)
    return f"{cast} ({text})" if cast else text


@dataclass(frozen=True, eq=True)
class Argument(Expression):
    """What a Function is applied to: the dot of its named template."""

    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """The dot."""
        del scope
        return "."

    def evaluate(self, environment: Environment) -> Any:
        """What the function was applied to."""
        return environment.variables["."]


@dataclass(frozen=True, eq=True)
class Function:
    """A function of one argument, defined once in `_helpers.tpl` and applied by `include`.

    Attributes:
        name: the template's name, such as `rlinf.quantity`.
        body: an expression over Argument.
        about: the comment above its definition.
    """

    name: str
    body: Expression
    about: str

    def __call__(self, argument: Operand) -> Expression:
        """The function's value for this argument."""
        return Applied(function=self, argument=as_expression(argument))


@dataclass(frozen=True, eq=True, kw_only=True)
class Applied(Expression):
    """A Function with its argument."""

    function: Function
    argument: Expression

    @property
    def kind(self) -> Kind:  # pyright: ignore[reportIncompatibleVariableOverride] - follows from the body
        """The kind of the function's body."""
        return self.function.body.kind

    def template(self, scope: Scope) -> str:
        """An `include` of the argument."""
        return _from_text(f'include "{self.function.name}" {self.argument.operand(scope)}', self.kind)

    def evaluate(self, environment: Environment) -> Any:
        """The body's value for the argument's value."""
        return self.function.body.evaluate(environment.bind(**{".": self.argument.evaluate(environment)}))


@dataclass(frozen=True, eq=False)
class MapOf(Expression):
    """A map made of entries, and of all entries of other maps; the body of a helper such as the common labels.

    Attributes:
        entries: values by key.
        others: map expressions; their keys must differ from those of the entries.
    """

    entries: Mapping[str, Expression]
    others: tuple[Expression, ...] = ()
    kind: Kind = Kind.MAP

    def template(self, scope: Scope) -> str:
        """Text of a template's body: YAML without indentation."""
        lines = [f"{key}: {_yaml_value(value, scope)}" for key, value in self.entries.items()]
        for other in self.others:
            if isinstance(other, Only):
                lines.append(other.template(scope))
            elif isinstance(other, Helper):
                lines.append(f"{{{{ {other.template(scope)} }}}}")
            else:
                lines += [f"{{{{- with {other.template(scope)} }}}}", "{{ toYaml . }}", "{{- end }}"]
        return "\n".join(lines)

    def evaluate(self, environment: Environment) -> dict[str, Any]:
        """All entries."""
        result = {key: value.evaluate(environment) for key, value in self.entries.items()}
        for other in self.others:
            result.update(other.evaluate(environment))
        return result


@dataclass(frozen=True, eq=False)
class Only(Expression):
    """A map's entries where a condition holds, else none; a part of a MapOf.

    Attributes:
        condition: anything that Helm's `if` takes for true.
        body: the entries.
    """

    condition: Expression
    body: MapOf
    kind: Kind = Kind.MAP

    def template(self, scope: Scope) -> str:
        """The entries' text inside an `if`."""
        return "\n".join((f"{{{{- if {self.condition.template(scope)} }}}}", self.body.template(scope), "{{- end }}"))

    def evaluate(self, environment: Environment) -> dict[str, Any]:
        """The entries, or none."""
        return self.body.evaluate(environment) if go.truth(self.condition.evaluate(environment)) else {}


def _yaml_value(value: Expression, scope: Scope) -> str:
    return go.json_text(value.value) if isinstance(value, Literal) else f"{{{{ {value.output(scope)} }}}}"


def is_never_empty(value: Expression) -> bool:
    """Whether a map has entries whatever the values are."""
    body = value.body if isinstance(value, Helper) else value
    return isinstance(body, MapOf) and (bool(body.entries) or any(map(is_never_empty, body.others)))


@dataclass(frozen=True, eq=False)
class JsonText(Expression):
    """A JSON document, indented for people, with expressions as leaves.

    Attributes:
        tree: nested dicts and lists; a leaf is a constant or an expression of any kind.
    """

    tree: Any
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """Text of a template's body: literal JSON with `{{ }}` at the computed leaves."""
        return self._text(self.tree, 0, lambda leaf: _json_action(leaf, scope), escape_delimiters)

    def evaluate(self, environment: Environment) -> str:
        """The document's text."""
        return self._text(self.tree, 0, lambda leaf: go.json_text(leaf.evaluate(environment)), str)

    def _text(self, node: Any, depth: int, computed: Callable[[Expression], str], literal: Callable[[str], str]) -> str:
        if isinstance(node, Expression):
            return computed(node)
        if not isinstance(node, (dict, list)) or not node:
            return literal(go.json_text(node))
        pad = "  " * (depth + 1)
        if go.is_map(node):
            keys = {key: literal(go.json_text(key)) for key in node}
            lines = [f"{pad}{keys[key]}: {self._text(node[key], depth + 1, computed, literal)}" for key in node]
            return "{\n" + ",\n".join(lines) + "\n" + "  " * depth + "}"
        lines = [pad + self._text(item, depth + 1, computed, literal) for item in node]
        return "[\n" + ",\n".join(lines) + "\n" + "  " * depth + "]"


def _json_action(leaf: Expression, scope: Scope) -> str:
    is_json = leaf.kind in (Kind.INTEGER, Kind.BOOLEAN)
    return f"{{{{ {leaf.output(scope) if is_json else leaf.template(scope) + ' | toRawJson'} }}}}"


def escape_delimiters(text: str) -> str:
    """Literal text that Helm must not take for a template."""
    return text.replace("{{", '{{ "{{" }}')


@dataclass(frozen=True, eq=True)
class Block(Expression):
    """A text of several lines that the template writes as a block, as people would; it ends with one newline."""

    body: Expression
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """The body's template; the renderer indents what it prints."""
        return self.body.template(scope)

    def evaluate(self, environment: Environment) -> str:
        """The body's text with its final newline."""
        return f"{self.body.evaluate(environment)}\n"


@dataclass(frozen=True, eq=True)
class Files(Expression):
    """The chart's own files in a folder, as a map from name to text."""

    folder: str
    kind: Kind = Kind.MAP

    def template(self, scope: Scope) -> str:
        """Helm's idiom for the data of a ConfigMap; the result is YAML text already."""
        return f'({scope.member("Files")}.Glob "{self.folder}/*").AsConfig'

    def evaluate(self, environment: Environment) -> dict[str, str]:
        """The files' texts by base name."""
        prefix = self.folder + "/"
        return {path.removeprefix(prefix): text for path, text in environment.files.items() if path.startswith(prefix)}


@dataclass(frozen=True, eq=True)
class FileData(Expression):
    """The content of one of the chart's own YAML files, as a map."""

    path: str
    kind: Kind = Kind.MAP

    def template(self, scope: Scope) -> str:
        """The file, parsed."""
        return f'{scope.member("Files")}.Get "{self.path}" | fromYaml'

    def evaluate(self, environment: Environment) -> dict[str, Any]:
        """The file, parsed."""
        return _parsed(environment.files[self.path])


@functools.cache
def _parsed(text: str) -> dict[str, Any]:
    return yaml_io.load(text)


@dataclass(frozen=True, eq=True, kw_only=True)
class Generated(Expression):
    """A random value that is made at the first install and kept in a Secret from then on (base64, for `data`).

    Attributes:
        secret: name of the Secret that holds it.
        key: the key in the Secret.
        length: number of random characters.
    """

    secret: Expression
    key: str
    length: int = 48
    kind: Kind = Kind.STRING

    def template(self, scope: Scope) -> str:
        """The existing Secret's value, or a new one where there is none (`helm template` sees no cluster)."""
        namespace = scope.member("Release.Namespace")
        existing = f'lookup "v1" "Secret" {namespace} {self.secret.operand(scope)}'
        return f'dig "data" "{self.key}" (randAlphaNum {self.length} | b64enc) ({existing})'

    def evaluate(self, environment: Environment) -> str:
        """What the environment generates for the Secret of that name."""
        return environment.generate(self.secret.evaluate(environment), self.length)
