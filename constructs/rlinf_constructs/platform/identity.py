"""ServiceAccount, Ray's token, and variables from Secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, StringLike


@dataclass(frozen=True, kw_only=True)
class ServiceAccountProps:
    """Properties of a ServiceAccount.

    Attributes:
        name: of the account.
        labels: of the account.
        annotations: a map expression, for example IAM roles.
    """

    name: StringLike
    labels: Mapping[str, Any]
    annotations: Expression


class ServiceAccount(Construct):
    """The pods' identity. Its token is not mounted: all but Ray's autoscaler call no Kubernetes API."""

    def __init__(self, scope: Construct, construct_id: str, props: ServiceAccountProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeServiceAccount(
            self,
            "ServiceAccount",
            automount_service_account_token=False,
            metadata=k8s.ObjectMeta(
                name=helm.string(props.name), labels=dict(props.labels), annotations=helm.splice(props.annotations)
            ),
        )


def account_token_volume(name: str) -> k8s.Volume:
    """What kubelet would mount by itself into all containers of a pod, for the one that calls the Kubernetes API."""
    sources = [
        k8s.VolumeProjection(service_account_token=k8s.ServiceAccountTokenProjection(path="token")),
        k8s.VolumeProjection(
            config_map=k8s.ConfigMapProjection(
                name="kube-root-ca.crt", items=[k8s.KeyToPath(key="ca.crt", path="ca.crt")]
            )
        ),
        k8s.VolumeProjection(
            downward_api=k8s.DownwardApiProjection(
                items=[
                    k8s.DownwardApiVolumeFile(
                        path="namespace", field_ref=k8s.ObjectFieldSelector(field_path="metadata.namespace")
                    )
                ]
            )
        ),
    ]
    return k8s.Volume(name=name, projected=k8s.ProjectedVolumeSource(sources=sources))


def account_token_mount(name: str) -> k8s.VolumeMount:
    """Where clients of the Kubernetes API look for it."""
    return k8s.VolumeMount(name=name, mount_path="/var/run/secrets/kubernetes.io/serviceaccount", read_only=True)


@dataclass(frozen=True, kw_only=True)
class TokenSecretProps:
    """Properties of a TokenSecret.

    Attributes:
        name: of the Secret.
        labels: of the Secret.
        key: the token's key, a literal since it names a field.
        annotations: of the Secret.
    """

    name: Expression
    labels: Mapping[str, Any]
    key: str
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])


class TokenSecret(Construct):
    """A random token, made at the first install and kept across upgrades."""

    def __init__(self, scope: Construct, construct_id: str, props: TokenSecretProps) -> None:
        super().__init__(scope, construct_id)
        k8s.KubeSecret(
            self,
            "Secret",
            metadata=k8s.ObjectMeta(
                name=helm.string(props.name), labels=dict(props.labels), annotations=dict(props.annotations)
            ),
            data={props.key: helm.string(helm.Generated(secret=props.name, key=props.key))},
        )


def secret_variable(name: str, *, secret: StringLike, key: StringLike) -> k8s.EnvVar:
    """An environment variable whose value is in a Secret."""
    source = k8s.SecretKeySelector(name=helm.string(secret), key=helm.string(key))
    return k8s.EnvVar(name=name, value_from=k8s.EnvVarSource(secret_key_ref=source))
