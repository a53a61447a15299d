"""Rules on the texts of extraEnv: a variable in them that Kubernetes would leave as it is."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Expression, Rule, call, fmt, for_each_entry


def _is_text(value: Expression) -> Expression:
    return call("kindIs", "string", value)


def _names_itself(name: Expression, value: Expression) -> Rule:
    """As a shell would take it: what the image has is not there to be named."""
    itself = fmt(r"(^|[^$])\$([(]", name, "[)]|[{]", name, "[}]|", name, "([^A-Za-z0-9_]|$))")
    return Rule(
        broken=_is_text(value) & call("regexMatch", itself, value),
        message=fmt(
            "extraEnv.",
            name,
            " is ",
            value,
            ", which names itself: Kubernetes sees no variable of the image, and would leave the name in the text; "
            "write all that it shall hold",
        ),
    )


def _names_a_later_one(name: Expression, value: Expression) -> Rule:
    """Among texts of extraEnv, which a pod has in the order of their names."""

    def rule(other: Expression, later: Expression) -> Rule:
        return Rule(
            broken=_is_text(value)
            & _is_text(later)
            & call("gt", other, name)
            & call("contains", fmt("$(", other, ")"), value)
            & ~call("contains", fmt("$$(", other, ")"), value),
            message=fmt(
                "extraEnv.",
                name,
                " is ",
                value,
                ", but a pod has its variables in the order of their names, and Kubernetes knows those before only: "
                "write the value of ",
                other,
                " in its place",
            ),
        )

    return for_each_entry(values.extra_env, rule, key="other", value="later")


RULES = [
    for_each_entry(values.extra_env, _names_itself, key="name", value="value"),
    for_each_entry(values.extra_env, _names_a_later_one, key="name", value="value"),
]
