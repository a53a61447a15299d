"""`efa`: Elastic Fabric Adapter."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Section


class Efa(Section):
    """EFA devices for NCCL between nodes."""

    devices: int = Field(
        default=0,
        description="EFA devices of one pod (vpc.amazonaws.com/efa): 32 on p5.48xlarge, 16 on p5en, 4 on p4d. 0: none.",
        ge=0,
        le=32,
    )
