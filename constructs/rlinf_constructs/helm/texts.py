"""Texts of several lines, which templates write as people would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rlinf_constructs.helm import go
from rlinf_constructs.helm.expressions import Environment, Expression, Scope
from rlinf_constructs.helm.kinds import Kind


@dataclass(frozen=True, eq=False)
class JsonText(Expression):
    """A JSON document, indented for people, with expressions as leaves.

    Attributes:
        tree: nested dicts and lists; a leaf is a constant or an expression of any kind.
    """

    tree: Any
    kind: Kind = Kind.STRING
    is_body: ClassVar[bool] = True

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
