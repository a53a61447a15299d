"""`instance`: the kind of machine."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.instances import instances
from rlinf_charts.values.section import Section


class Instance(Section):
    """The kind of machine."""

    type: str = Field(
        default="",
        description="EC2 instance type of the nodes, such as p5.48xlarge. It sets the GPUs, EFA devices, CPU, memory\n"
        "and shared memory that one pod asks for, and the node selector; each has a value of its own that wins.\n"
        "Empty: a machine that this chart knows nothing of.",
        json_schema_extra={"enum": ["", *instances()]},
    )
