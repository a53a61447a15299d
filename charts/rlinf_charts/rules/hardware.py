"""Rules on what a pod asks for: what no node of the instance type could give would stay Pending for ever."""

from __future__ import annotations

from functools import partial

from rlinf_charts.names import values
from rlinf_charts.profiles import column
from rlinf_charts.resources import (
    CPU_LIMIT,
    CPU_REQUEST,
    GPUS,
    MEMORY_LIMIT,
    MEMORY_REQUEST,
    QUANTITY,
    SHARED_MEMORY,
    as_text,
)
from rlinf_constructs.helm import Expression, Kind, Rule, call, fmt, for_each_entry

_TYPE = values.instance.type


def _count(name: str) -> Expression:
    return column(_TYPE, name, 0, kind=Kind.INTEGER)


def _quantity(name: str) -> Expression:
    return column(_TYPE, name, "0", kind=Kind.STRING)


def _devices_fit(key: str, asked: Expression, name: str, words: str) -> Rule:
    """A number of devices that the node has."""
    return Rule(
        broken=_TYPE & (asked > _count(name)),
        message=fmt(
            f"{key} is ", asked, ", but a ", _TYPE, " has ", _count(name), f" {words}: the most is ", _count(name)
        ),
    )


def _fits(resource: str, asked: Expression, offered: Expression, nearest: Expression) -> Rule:
    """A request that the node can meet."""
    return Rule(
        broken=_TYPE & (QUANTITY(asked) > QUANTITY(offered)),
        message=fmt(
            f"nodes.resources asks for {resource}: ",
            asked,
            ", but a ",
            _TYPE,
            " offers ",
            offered,
            ", and DaemonSets take some of it: leave it unset for ",
            nearest,
        ),
    )


def _at_most(key: str, value: Expression, bound: Expression, why: str) -> Rule:
    """A quantity that is no larger than a limit."""
    return Rule(
        broken=bound & (QUANTITY(value) > QUANTITY(bound)),
        message=fmt(f"{key} is ", value, ", more than the limit of ", bound, f": {why}; the most is ", bound),
    )


HUGEPAGES_FIT = Rule(
    broken=_TYPE & values.efa.hugepages & (QUANTITY(values.efa.hugepages) > QUANTITY(_quantity("hugepages"))),
    message=fmt(
        "efa.hugepages is ",
        values.efa.hugepages,
        ", but the EFA AMI sets ",
        _quantity("hugepages"),
        " aside on a ",
        _TYPE,
        ": that is the most",
    ),
)

IPC_LOCK_NEEDS_ROOT = Rule(
    broken=values.efa.ipc_lock & (values.pod_security.run_as_user > 0),
    message=fmt(
        "efa.ipcLock is true while podSecurity.runAsUser is ",
        values.pod_security.run_as_user,
        ": Kubernetes gives an added capability to root only, so it would do nothing; set efa.ipcLock=false, since "
        "nodes of the EKS AMIs do not limit locked memory, or podSecurity.runAsUser=0",
    ),
)

_REFUSED = "Kubernetes refuses such a pod"


def _is_limited(resource: Expression, amount: Expression) -> Rule:
    """A device of a plugin, of which a pod gets its limit and no less."""
    del amount
    return Rule(
        broken=call("regexMatch", "^hugepages-|/", resource) & ~call("hasKey", values.nodes.resources.limits, resource),
        message=fmt(
            "nodes.resources.requests has ",
            resource,
            f", but nodes.resources.limits has not: nodes give it whole, and without a limit {_REFUSED}; move it to "
            "nodes.resources.limits, from which the request follows",
        ),
    )


def _is_within_its_limit(resource: Expression, amount: Expression) -> Rule:
    """Of a device the limit is the request; of what nodes share, such as ephemeral-storage, it is the most."""
    asked, most = as_text(amount), as_text(call("dig", resource, amount, values.nodes.resources.limits))
    is_device = call("regexMatch", "/", resource)
    return Rule(
        broken=~call("regexMatch", "^(cpu|memory)$", resource)
        & ((QUANTITY(asked) > QUANTITY(most)) | (is_device & (QUANTITY(asked) < QUANTITY(most)))),
        message=fmt(
            "nodes.resources.requests has ",
            resource,
            ": ",
            asked,
            " while nodes.resources.limits has ",
            most,
            f": {_REFUSED}; leave the request out, and it is the limit",
        ),
    )


def _is_no_other_gpu(key: str, resource: Expression, amount: Expression) -> Rule:
    """A slice or a share of a GPU under another name than the one that ranks are counted by."""
    del amount
    return Rule(
        broken=call("regexMatch", "^nvidia[.]com/", resource) & resource.differs("nvidia.com/gpu"),
        message=fmt(
            f"{key} has ",
            resource,
            ", but a rank takes a nvidia.com/gpu, and nodes.gpus says how many a pod has: remove it; slices of a GPU "
            "have that name by MIG's strategy `single`, and shares of one without renameByDefault",
        ),
    )


RAY_NEEDS_A_CPU_FOR_EACH_GPU = Rule(
    broken=(values.ray.cpus > 0) & (values.ray.cpus < GPUS),
    message=fmt(
        "ray.cpus is ",
        values.ray.cpus,
        " while a node has ",
        GPUS,
        " GPUs: each GPU's worker takes a CPU, and Ray would wait for ever; the least is ",
        GPUS,
        ", or 0 for two a GPU",
    ),
)


def _is_of_each_rank(variable: str) -> Rule:
    """What Ray sets for each rank, and a pod's variable would set for all of them."""
    return Rule(
        broken=(GPUS > 0) & call("hasKey", values.extra_env, variable),
        message=fmt(
            f"extraEnv has {variable}, which would hold for all ranks of a pod, while each has a GPU of its own: leave "
            "it out, and set nodes.gpus to take fewer GPUs"
        ),
    )


RULES = [
    *map(_is_of_each_rank, ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "MUJOCO_EGL_DEVICE_ID")),
    RAY_NEEDS_A_CPU_FOR_EACH_GPU,
    _devices_fit("nodes.gpus", values.nodes.gpus, "gpus", "GPUs"),
    _devices_fit("efa.devices", values.efa.devices, "efa", "EFA devices"),
    _fits("cpu", CPU_REQUEST, _quantity("allocatable_cpu"), _quantity("cpu")),
    _fits("memory", MEMORY_REQUEST, _quantity("allocatable_memory"), _quantity("memory")),
    _at_most("nodes.resources.requests.cpu", CPU_REQUEST, CPU_LIMIT, _REFUSED),
    _at_most("nodes.resources.requests.memory", MEMORY_REQUEST, MEMORY_LIMIT, _REFUSED),
    _at_most("nodes.sharedMemory", SHARED_MEMORY, MEMORY_LIMIT, "what is used of it counts as memory of the pod"),
    HUGEPAGES_FIT,
    IPC_LOCK_NEEDS_ROOT,
    for_each_entry(values.nodes.resources.requests, _is_limited, key="resource", value="amount"),
    for_each_entry(values.nodes.resources.requests, _is_within_its_limit, key="resource", value="amount"),
    for_each_entry(
        values.nodes.resources.limits,
        partial(_is_no_other_gpu, "nodes.resources.limits"),
        key="resource",
        value="amount",
    ),
]
