"""Named templates: what a chart defines once in `_helpers.tpl`, and includes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rlinf_constructs.helm import go, yaml_io
from rlinf_constructs.helm.expressions import Environment, Expression, Literal, Operand, Scope, as_expression
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.texts import escape_delimiters


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
        """As the argument of a function, the text of a map or list is read again."""
        read = {Kind.MAP: "fromYaml", Kind.LIST: "fromYamlArray"}.get(self.kind)
        return f"({read} ({self.template(scope)}))" if read else super().operand(scope)

    def is_never_empty(self) -> bool:
        """As its body."""
        return self.body.is_never_empty()

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
    is_body: ClassVar[bool] = True

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

    def is_never_empty(self) -> bool:
        """Whether it has entries of its own, or one of the others always has."""
        return bool(self.entries) or any(other.is_never_empty() for other in self.others)

    def evaluate(self, environment: Environment) -> dict[str, Any]:
        """All entries."""
        result = {key: value.evaluate(environment) for key, value in self.entries.items()}
        for other in self.others:
            result.update(other.evaluate(environment))
        return result


@dataclass(frozen=True, eq=False)
class ListOf(Expression):
    """A constant list; the body of a helper for what would be long in each place.

    Attributes:
        items: plain data.
    """

    items: Sequence[Any]
    kind: Kind = Kind.LIST
    is_body: ClassVar[bool] = True

    def template(self, scope: Scope) -> str:
        """Text of a template's body: YAML without indentation."""
        del scope
        return escape_delimiters(yaml_io.dump(list(self.items))).rstrip("\n")

    def is_never_empty(self) -> bool:
        """Whether it has items."""
        return bool(self.items)

    def evaluate(self, environment: Environment) -> list[Any]:
        """The items."""
        del environment
        return list(self.items)


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
