"""Rules on `extraObjects`: of two objects with one kind and name a cluster keeps one."""

from __future__ import annotations

from typing import Any

from rlinf_charts.names import NAMESPACE, values
from rlinf_constructs.helm import Expression, Helper, Kind, Rule, call, fmt, for_each


def rules(made: Helper) -> list[Rule]:
    """The rules of a chart that makes these objects itself, see `helm.made_objects`."""
    return [
        for_each(values.extra_objects, lambda index, item: _of_the_chart(index, item, made), name="manifest"),
        for_each(values.extra_objects, _of_an_earlier, name="manifest"),
    ]


def _of_the_chart(index: Expression, item: Any, made: Helper) -> Rule:
    is_made = call("contains", fmt('"', _identity(item), '"'), call("toRawJson", made))
    return Rule(
        broken=_namespace(item).equals(NAMESPACE) & is_made,
        message=fmt(
            *_is(index, item),
            ", which the chart makes itself, and of two with one name a cluster keeps one: take another name, such as ",
            item.metadata.name,
            "-extra",
        ),
    )


def _of_an_earlier(index: Expression, item: Any) -> Rule:
    return for_each(
        values.extra_objects,
        lambda earlier, other: Rule(
            broken=(earlier < index)
            & _identity(other).equals(_identity(item))
            & _namespace(other).equals(_namespace(item))
            # Helm makes hooks of one name one after the other.
            & _hook(other).equals(_hook(item)),
            message=fmt(
                *_is(index, item),
                ", and so is extraObjects.",
                earlier,
                ": of two with one name a cluster keeps one; rename or remove one of them",
            ),
        ),
        name="other",
        index="earlier",
    )


def _is(index: Expression, item: Any) -> tuple[Expression | str, ...]:
    return "extraObjects.", index, " is ", item.kind_name, " ", item.metadata.name


def _identity(item: Any) -> Expression:
    """As `made_objects` has it: versions of one API group serve the same objects."""
    return fmt(call("regexFind", "^[^/]+/", item.api_version), item.kind_name, "/", item.metadata.name)


def _namespace(item: Any) -> Expression:
    return call("default", NAMESPACE, item.metadata.namespace)


def _hook(item: Any) -> Expression:
    return call("dig", "annotations", "helm.sh/hook", "", item.metadata, kind=Kind.STRING)
