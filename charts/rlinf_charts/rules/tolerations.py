"""Rules on scheduling.tolerations: combinations of good fields that Kubernetes refuses."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Expression, Kind, Rule, call, fmt, for_each

_tolerations = values.scheduling.tolerations


def _field(toleration: Expression, name: str, default: str = "") -> Expression:
    return call("dig", name, default, toleration, kind=Kind.STRING)


def _operator(toleration: Expression) -> Expression:
    return _field(toleration, "operator", "Equal")


def _has_a_key(index: Expression, toleration: Expression) -> Rule:
    return Rule(
        broken=~_field(toleration, "key") & _operator(toleration).differs("Exists"),
        message=fmt(
            "scheduling.tolerations.",
            index,
            ".key is empty while its operator is Equal: set key, or operator: Exists to tolerate every taint",
        ),
    )


def _exists_has_no_value(index: Expression, toleration: Expression) -> Rule:
    return Rule(
        broken=_field(toleration, "value") & _operator(toleration).equals("Exists"),
        message=fmt(
            "scheduling.tolerations.",
            index,
            ".value is ",
            _field(toleration, "value"),
            " while its operator is Exists, which tolerates every value: remove value, or set operator: Equal",
        ),
    )


def _seconds_are_of_an_eviction(index: Expression, toleration: Expression) -> Rule:
    return Rule(
        broken=call("hasKey", toleration, "tolerationSeconds") & _field(toleration, "effect").differs("NoExecute"),
        message=fmt(
            "scheduling.tolerations.",
            index,
            ".tolerationSeconds is set while its effect is '",
            _field(toleration, "effect"),
            "': only NoExecute evicts pods, after that time; set effect: NoExecute, or remove tolerationSeconds",
        ),
    )


RULES = [
    for_each(_tolerations, rule, name="toleration")
    for rule in (_has_a_key, _exists_has_no_value, _seconds_are_of_an_eviction)
]
