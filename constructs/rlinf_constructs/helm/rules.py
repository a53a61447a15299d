"""Rules that cross fields: declared once, refused by Helm and by Python in the same words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rlinf_constructs.helm import go, plain
from rlinf_constructs.helm.expressions import Environment, Expression, Scope, Variable
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.placeholders import Each
from rlinf_constructs.helm.template import block, range_over

_COMMENT = "Rules that the schema cannot express. All that are broken are named at once."


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What must not be.

    Attributes:
        broken: true when the values break the rule.
        message: one sentence that names the key, its value, what is allowed, and the nearest valid value.
        loops: what the rule is asked for each of, the outermost first; see `for_each`.
    """

    broken: Expression
    message: Expression
    loops: tuple[Each, ...] = ()


def for_each(
    collection: Expression, rule: Callable[[Expression, Any], Rule], *, name: str, index: str = "index"
) -> Rule:
    """A rule on every element of a list.

    Args:
        collection: a list expression; its elements may be objects of the values model.
        rule: makes the rule from the loop's variables, the index and the element.
        name: of the element's variable in the template.
        index: of the index's; a loop inside of another has its own.
    """
    position = Variable(name=index, kind=Kind.INTEGER)
    return _looped(rule(position, collection.element(name)), Each(collection, Variable(name=name), position))


def for_each_entry(collection: Expression, rule: Callable[[Expression, Any], Rule], *, key: str, value: str) -> Rule:
    """A rule on every entry of a map.

    Args:
        collection: a map expression; its values may be objects of the values model.
        rule: makes the rule from the loop's variables, the key and the value.
        key: name of the key's variable in the template.
        value: name of the value's variable in the template.
    """
    key_variable = Variable(name=key)
    return _looped(rule(key_variable, collection.entry(value)), Each(collection, Variable(name=value), key_variable))


def _looped(rule: Rule, loop: Each) -> Rule:
    return replace(rule, loops=(loop, *rule.loops))


def template(rules: Sequence[Rule]) -> str:
    """A template that prints nothing, or fails with the messages of all broken rules."""
    lines = [f"{{{{- /* {_COMMENT} */ -}}}}", "{{- $broken := list }}"]
    for rule in rules:
        lines += _lines(rule, rule.loops, Scope())
    lines += block("if $broken", ['{{- fail (join "\\n" $broken) }}'])
    return "\n".join(lines) + "\n"


def _lines(rule: Rule, loops: tuple[Each, ...], scope: Scope) -> list[str]:
    if loops:
        return block(range_over(loops[0], scope), _lines(rule, loops[1:], scope.inside_range()))
    append = f"{{{{- $broken = append $broken {rule.message.operand(scope)} }}}}"
    return block(f"if {rule.broken.template(scope)}", [append])


def check(rules: Sequence[Rule], environment: Environment) -> list[str]:
    """The messages of the broken rules."""
    return [message for rule in rules for message in _broken(rule, rule.loops, environment)]


def _broken(rule: Rule, loops: tuple[Each, ...], environment: Environment) -> Iterator[str]:
    if loops:
        for inner in plain.iterations(loops[0], environment):
            yield from _broken(rule, loops[1:], inner)
    elif go.truth(rule.broken.evaluate(environment)):
        yield rule.message.evaluate(environment)
