"""What one pod asks of its node: the user's value, else the instance type's, else a small default."""

from __future__ import annotations

from typing import Any

from rlinf_charts.names import values
from rlinf_charts.profiles import column
from rlinf_constructs import helm
from rlinf_constructs.helm import Argument, Expression, Function, Helper, Kind, call, conditional
from rlinf_constructs.platform.devices import device_limits

_TYPE = values.instance.type
_requests = values.nodes.resources.requests
_limits = values.nodes.resources.limits

GPUS = Helper(
    name="rlinf.gpus",
    body=call("default", column(_TYPE, "gpus", 0, kind=Kind.INTEGER), values.nodes.gpus),
    about="GPUs of one node.",
)

EFA_DEVICES = Helper(
    name="rlinf.efaDevices",
    body=conditional(
        values.efa.enabled,
        call("default", column(_TYPE, "efa", 0, kind=Kind.INTEGER), values.efa.devices),
        0,
    ),
    about="EFA devices of one node.",
)


def as_text(amount: Expression) -> Expression:
    """A quantity, which may stand in the values as a number without quotes."""
    return call("trimAll", '"', call("toRawJson", amount))


def _first_of(key: str, *maps: Expression, otherwise: Expression) -> Expression:
    """The key's value in the first of the maps that has it, as text."""
    for mapping in reversed(maps):
        otherwise = call("dig", key, otherwise, mapping, kind=Kind.STRING)
    return as_text(otherwise)


CPU_REQUEST = Helper(
    name="rlinf.cpuRequest",
    body=_first_of("cpu", _requests, _limits, otherwise=column(_TYPE, "cpu", "1", kind=Kind.STRING)),
    about="CPU that one pod asks for.",
)

MEMORY_REQUEST = Helper(
    name="rlinf.memoryRequest",
    body=_first_of("memory", _requests, _limits, otherwise=column(_TYPE, "memory", "4Gi", kind=Kind.STRING)),
    about="Memory that one pod asks for.",
)

CPU_LIMIT = Helper(
    name="rlinf.cpuLimit",
    body=_first_of("cpu", _limits, otherwise=helm.Literal("")),
    about="CPU that one pod may use; empty for all.",
)

MEMORY_LIMIT = Helper(
    name="rlinf.memoryLimit",
    # On a node of its own a pod has that memory anyway, and Ray sizes its object store by the limit.
    body=_first_of("memory", _limits, otherwise=conditional(_TYPE.differs(""), MEMORY_REQUEST, "")),
    about="Memory that one pod may use; empty for all.",
)

SHARED_MEMORY = Helper(
    name="rlinf.sharedMemory",
    body=call("default", column(_TYPE, "shared_memory", "2Gi", kind=Kind.STRING), values.nodes.shared_memory),
    about="Size of /dev/shm.",
)

_DECIMAL: list[str | float] = ["m", 0.001, "k", 1e3, "M", 1e6, "G", 1e9, "T", 1e12, "P", 1e15]
_BINARY: list[str | float] = ["Ki", 1 << 10, "Mi", 1 << 20, "Gi", 1 << 30, "Ti", 1 << 40, "Pi", 1 << 50]

QUANTITY = Function(
    name="rlinf.quantity",
    body=call(
        "mulf",
        call("float64", call("regexFind", "^[0-9.]+", Argument())),
        call(
            "dig", call("regexFind", "[A-Za-z]*$", Argument()), 1, call("dict", *_DECIMAL, *_BINARY), kind=Kind.NUMBER
        ),
    ),
    about="A quantity such as 2Gi or 100m as a number, to compare it with another.",
)

HELPERS = [
    GPUS,
    EFA_DEVICES,
    CPU_REQUEST,
    MEMORY_REQUEST,
    CPU_LIMIT,
    MEMORY_LIMIT,
    SHARED_MEMORY,
    QUANTITY,
]


def requests() -> dict[str, Any]:
    """Requests of one pod. Kubernetes takes those of devices from the limits."""
    requests = {
        "cpu": helm.string(CPU_REQUEST),
        "memory": helm.string(MEMORY_REQUEST),
        **helm.splice(call("omit", _requests, "cpu", "memory")),
    }
    return helm.shared("requests", requests, about="Requests of one node's pod.")


def limits() -> dict[str, Any]:
    """Limits of one pod."""
    limits = {
        **device_limits(gpus=GPUS, efa_devices=EFA_DEVICES, hugepages=values.efa.hugepages),
        "cpu": helm.when(CPU_LIMIT, helm.string(CPU_LIMIT)),
        "memory": helm.when(MEMORY_LIMIT, helm.string(MEMORY_LIMIT)),
        **helm.splice(call("omit", _limits, "cpu", "memory")),
    }
    return helm.shared("limits", limits, about="Limits of one node's pod.")
