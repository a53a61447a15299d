"""`efa`: Elastic Fabric Adapter."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.section import Section


class Efa(Section):
    """EFA devices for NCCL between nodes; docs/efa.md has the background."""

    enabled: bool = Field(
        default=True,
        description="Ask for EFA devices. false: NCCL takes TCP, which is all that a single node needs.",
    )
    devices: int = Field(
        default=0,
        description="EFA devices of one pod (vpc.amazonaws.com/efa). 0: all of the instance type, none without a type.",
        ge=0,
        le=32,
    )
    hugepages: str = Field(
        default="",
        description="Huge pages of 2 MiB for libfabric's buffers, such as 5120Mi; the EFA AMI sets 10256Mi aside. "
        "Empty: none are asked for.",
        # Kubernetes takes whole pages only.
        pattern=r"^([0-9]*[02468]Mi|[0-9]+Gi)?$",
    )
    ipc_lock: bool = Field(
        default=False,
        description="Add the capability IPC_LOCK, for nodes that limit locked memory. Kubernetes gives it to root "
        "only, and the Pod Security Standard `restricted` then no longer holds.",
    )
    environment: Literal["current", "seeds", "none"] = Field(
        default="current",
        description="Variables of NCCL and libfabric on nodes with GPUs. current: the few that today's "
        "aws-ofi-nccl needs. seeds: the older list of our first launch scripts, some of which cost speed. "
        "none: none. Each can be overridden in `extraEnv`; docs/efa.md explains them one by one.",
    )
