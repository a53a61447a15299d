"""Rules that cross fields: declared once, refused by Helm and by Python in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlinf_constructs.helm import go
from rlinf_constructs.helm.expressions import Environment, Expression, Scope

_COMMENT = "Rules that the schema cannot express. All that are broken are named at once."


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What must not be.

    Attributes:
        broken: true when the values break the rule.
        message: one sentence that names the key, its value, what is allowed, and the nearest valid value.
    """

    broken: Expression
    message: Expression


def template(rules: Sequence[Rule]) -> str:
    """A template that prints nothing, or fails with the messages of all broken rules."""
    lines = [f"{{{{- /* {_COMMENT} */ -}}}}", "{{- $broken := list }}"]
    for rule in rules:
        lines += [
            f"{{{{- if {rule.broken.template(Scope())} }}}}",
            f"{{{{- $broken = append $broken {rule.message.operand(Scope())} }}}}",
            "{{- end }}",
        ]
    lines += ["{{- if $broken }}", '{{- fail (join "\\n" $broken) }}', "{{- end }}"]
    return "\n".join(lines) + "\n"


def check(rules: Sequence[Rule], environment: Environment) -> list[str]:
    """The messages of the broken rules."""
    return [rule.message.evaluate(environment) for rule in rules if go.truth(rule.broken.evaluate(environment))]
