"""What the Pod Security Standard `restricted` asks for."""

from __future__ import annotations

from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, IntegerLike


def pod_security_context(
    *, run_as_user: IntegerLike, run_as_group: IntegerLike, fs_group: IntegerLike
) -> k8s.PodSecurityContext:
    """A pod that never runs as root, under the runtime's default seccomp profile."""
    return k8s.PodSecurityContext(
        run_as_non_root=True,
        run_as_user=helm.number(run_as_user),
        run_as_group=helm.number(run_as_group),
        fs_group=helm.number(fs_group),
        # Changing the owner of every file of a large volume would take minutes at each start.
        fs_group_change_policy="OnRootMismatch",
        seccomp_profile=k8s.SeccompProfile(type="RuntimeDefault"),
    )


def container_security_context(*, read_only_root_filesystem: BooleanLike) -> k8s.SecurityContext:
    """A container without privileges and capabilities."""
    context = k8s.SecurityContext(allow_privilege_escalation=False, capabilities=k8s.Capabilities(drop=["ALL"]))
    return helm.extend(context, readOnlyRootFilesystem=read_only_root_filesystem)
