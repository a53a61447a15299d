"""`instance`: the kind of machine."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.instances import instances
from rlinf_charts.values.section import Section


class Instance(Section):
    """The kind of machine."""

    type: str = Field(
        default="",
        description="EC2 instance type of the nodes, such as p5.48xlarge. It sets what one pod asks for (GPUs, EFA "
        "devices, CPU, memory, shared memory) and the node selector; the value of each of these wins. "
        "Empty: a machine that the chart does not know.",
        json_schema_extra={
            "enum": ["", *instances()],
            "$comment": "for a machine that is not listed leave it unset, and set nodes.gpus, nodes.resources and "
            "scheduling.nodeSelector",
        },
    )
