"""Rules on keys of the native engine that its schema cannot say; the trainer itself refuses the same."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_charts.values.hydra import NativeHydra
from rlinf_constructs.helm import Kind, Rule, call, fmt

_IS_NATIVE = values.training.engine.equals("native")
_hydra = values.training.hydra
_DATA = NativeHydra().data


def _never_every_zero_steps(key: str, default: int) -> Rule:
    steps = call("int64", call("dig", "trainer", key, default, _hydra, kind=Kind.INTEGER))
    return Rule(
        broken=_IS_NATIVE & steps.equals(0),
        message=fmt(
            f"training.hydra.trainer.{key} is ",
            steps,
            ": it is a number of steps, at least 1, or -1 for never in between; the nearest valid values are -1 and 1",
        ),
    )


_lower, _upper = (
    call("float64", call("dig", "data", key, getattr(_DATA, key), _hydra, kind=Kind.NUMBER))
    for key in ("accuracy_lower_bound", "accuracy_upper_bound")
)

BOUNDS_IN_ORDER = Rule(
    broken=_IS_NATIVE & (_lower > _upper),
    message=fmt(
        "training.hydra.data.accuracy_lower_bound is ",
        _lower,
        ", above training.hydra.data.accuracy_upper_bound, ",
        _upper,
        ": no group of episodes would be kept; the most is ",
        _upper,
    ),
)

RULES = [
    _never_every_zero_steps("test_freq", NativeHydra().trainer.test_freq),
    _never_every_zero_steps("save_freq", NativeHydra().trainer.save_freq),
    BOUNDS_IN_ORDER,
]
