"""What a pod asks for on an instance type: the chart's own table, made from instances.yaml.

>>> profile("p5.48xlarge").cpu, profile("p5.48xlarge").memory, profile("p5.48xlarge").shared_memory
('181', '1788Gi', '200Gi')
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from pydantic.alias_generators import to_camel

from rlinf_charts.instances import Instance, instances
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Kind, Operand, call

PATH = "files/instances.json"

_HEADROOM_PERCENT, _HEADROOM_MILLIS, _HEADROOM_MIB = 5, 1000, 2048
# Ray's object store lives in shared memory: 30 % of the pod's memory, and never more than 200 GB.
_LARGEST_SHARED_MEMORY_GIB = 200


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One row of the chart's table; quantities are written as Kubernetes writes them.

    Attributes:
        gpus: of the node.
        efa: EFA devices of the node.
        cpu: what a pod asks for, with room for DaemonSets.
        memory: likewise, beside the huge pages of the EFA AMI.
        shared_memory: size of /dev/shm.
        hugepages: what the EFA AMI sets aside.
        allocatable_cpu: all that the node offers.
        allocatable_memory: likewise.
    """

    gpus: int
    efa: int
    cpu: str
    memory: str
    shared_memory: str
    hugepages: str
    allocatable_cpu: str
    allocatable_memory: str


def profile(instance_type: str) -> Profile:
    """The row of a known type."""
    return _profile(instances()[instance_type])


def _profile(node: Instance) -> Profile:
    hugepages_mib = 2 * node.hugepages2_mi
    memory_gib = _less_headroom(node.memory_mib - hugepages_mib, _HEADROOM_MIB) // 1024
    return Profile(
        gpus=node.gpus,
        efa=node.efa,
        cpu=str(_less_headroom(node.cpu_millis, _HEADROOM_MILLIS) // 1000),
        memory=f"{memory_gib}Gi",
        shared_memory=f"{min(memory_gib // 3, _LARGEST_SHARED_MEMORY_GIB)}Gi",
        hugepages=f"{hugepages_mib}Mi",
        allocatable_cpu=f"{node.cpu_millis}m",
        allocatable_memory=f"{node.memory_mib - hugepages_mib}Mi",
    )


def _less_headroom(offered: int, least: int) -> int:
    """DaemonSets take a few percent of a large node, and a fixed amount of a small one."""
    return offered - max(offered * _HEADROOM_PERCENT // 100, least)


def table() -> str:
    """The text of the chart's file, one line a type."""
    rows = [f"{json.dumps(name)}: {_row(_profile(node))}" for name, node in instances().items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _row(profile: Profile) -> str:
    return json.dumps({to_camel(name): value for name, value in asdict(profile).items()})


def column(instance_type: Expression, name: str, otherwise: Operand, *, kind: Kind) -> Expression:
    """A column of the type's row, or another value without a type."""
    cell = call("dig", instance_type, to_camel(name), otherwise, helm.FileData(PATH), kind=kind)
    return call("int64", cell) if kind is Kind.INTEGER else cell
