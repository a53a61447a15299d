"""What the Pod Security Standard `restricted` asks for."""

from __future__ import annotations

from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import BooleanLike, IntegerLike


def pod_security_context(
    *, run_as_user: IntegerLike, run_as_group: IntegerLike, fs_group: IntegerLike
) -> k8s.PodSecurityContext:
    """A pod under the runtime's default seccomp profile, which runs as root only where user 0 is asked for."""
    context = k8s.PodSecurityContext(
        run_as_user=helm.number(run_as_user),
        run_as_group=helm.number(run_as_group),
        fs_group=helm.number(fs_group),
        # Changing the owner of every file of a large volume would take minutes at each start.
        fs_group_change_policy="OnRootMismatch",
        seccomp_profile=k8s.SeccompProfile(type="RuntimeDefault"),
    )
    is_other = run_as_user.differs(0) if isinstance(run_as_user, helm.Expression) else run_as_user != 0
    return helm.extend(context, runAsNonRoot=is_other)


def container_security_context(
    *, read_only_root_filesystem: BooleanLike, ipc_lock: BooleanLike = False
) -> k8s.SecurityContext:
    """A container without privileges, and without capabilities but for IPC_LOCK where it is asked for."""
    added: list[str] | None = ["IPC_LOCK"]
    if isinstance(ipc_lock, helm.Expression):
        added = helm.when(ipc_lock, added)
    context = k8s.SecurityContext(
        allow_privilege_escalation=False,
        capabilities=k8s.Capabilities(drop=["ALL"], add=added if ipc_lock is not False else None),
    )
    return helm.extend(context, readOnlyRootFilesystem=read_only_root_filesystem)
