"""`serviceAccount` and `podSecurity`: who the pods are."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Annotations, OptionalDnsName, Section


class ServiceAccount(Section):
    """The pods' ServiceAccount."""

    create: bool = Field(default=True, description="Make a ServiceAccount.")
    name: OptionalDnsName = Field(
        default="",
        description="Its name. Empty: the release's name, or `default` when none is made.",
    )
    annotations: Annotations = Field(
        default_factory=dict[str, str],
        description="Its annotations, such as eks.amazonaws.com/role-arn for an IAM role. EKS Pod Identity needs "
        "none: associate the role with the account's name and namespace.",
    )


class PodSecurity(Section):
    """The security context, which meets the Pod Security Standard `restricted` but for user 0."""

    run_as_user: int = Field(
        default=1000,
        description="User id of the processes. 0, root, is for images that need it: the Pod Security Standard "
        "`restricted` then no longer holds.",
        ge=0,
    )
    run_as_group: int = Field(
        default=1000,
        description="Group id of the processes; images for OpenShift expect 0. `restricted` asks nothing of groups.",
        ge=0,
    )
    fs_group: int = Field(
        default=1000,
        description="Group that owns the files of mounted volumes, and that the processes have as well; 0 is root's, "
        "which `restricted` allows.",
        ge=0,
    )
    read_only_root_filesystem: bool = Field(
        default=True, description="Only volumes can be written. Engines that write beside their code need false."
    )
