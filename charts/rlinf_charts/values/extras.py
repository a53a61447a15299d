"""`extraVolumes`, `sidecars`, `extraObjects` and the like: Kubernetes' own objects, of which we know the names only."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from rlinf_charts.values.image import REFERENCE
from rlinf_charts.values.kubernetes import CONTAINER_FIELDS, MOUNT_FIELDS, PORT_FIELDS, VOLUME_SOURCES
from rlinf_charts.values.section import (
    ABSOLUTE_PATH,
    DNS_LABEL,
    RELATIVE_PATH,
    Annotations,
    DnsName,
    Labels,
    OptionalDnsName,
    Section,
)

_Label = Annotated[str, Field(pattern=DNS_LABEL, max_length=63)]


class Open(Section):
    """An object with more keys than we name."""

    model_config = ConfigDict(extra="allow")


def _with(fields: dict[str, Any]) -> ConfigDict:
    """Kubernetes' other fields, and no more: what it does not know it drops, and a volume is an empty one then."""

    def add(schema: dict[str, Any]) -> None:
        schema["properties"] = {**fields, **schema["properties"]}
        schema["additionalProperties"] = False

    return ConfigDict(extra="allow", json_schema_extra=add)


class ExtraVolume(Open):
    """A volume, as in a pod's spec."""

    model_config = _with(VOLUME_SOURCES)

    name: _Label = Field(description="Its name, which the chart must not have for a volume of its own.")


class ExtraVolumeMount(Open):
    """A mount, as in a container."""

    model_config = _with(MOUNT_FIELDS)

    name: _Label = Field(description="The volume: one of extraVolumes, or one of the chart's.")
    mount_path: str = Field(description="Where the container sees it.", pattern=ABSOLUTE_PATH)
    sub_path: str = Field(default="", description="Folder in the volume. Empty: all of it.", pattern=RELATIVE_PATH)


class ContainerPort(Open):
    """A port, as in a container."""

    model_config = _with(PORT_FIELDS)

    container_port: int = Field(description="Its number.", ge=1, le=65535)
    name: str = Field(default="", description="Its name.", pattern=rf"^$|{DNS_LABEL}", max_length=15)
    protocol: Literal["TCP", "UDP", "SCTP"] = Field(default="TCP", description="Its protocol.")


class ExtraContainer(Open):
    """A container, as in a pod's spec."""

    model_config = _with(CONTAINER_FIELDS)

    name: _Label = Field(description="Its name, which no other container of the pod has.")
    image: str = Field(description="Its image.", pattern=REFERENCE)
    ports: list[ContainerPort] = Field(
        default_factory=list[ContainerPort],
        description="Its ports. All containers of a pod share one set of them.",
    )
    volume_mounts: list[ExtraVolumeMount] = Field(
        default_factory=list[ExtraVolumeMount],
        description="Its mounts: volumes of extraVolumes, or of the chart.",
    )


class Metadata(Open):
    """Metadata of an object."""

    name: DnsName = Field(description="Its name.")
    namespace: OptionalDnsName = Field(default="", description="Its namespace. Empty: the release's.")
    labels: Labels = Field(default_factory=dict[str, str], description="Its labels.")
    annotations: Annotations = Field(default_factory=dict[str, str], description="Its annotations.")


class ExtraObject(Open):
    """A whole object."""

    api_version: str = Field(description="Its API group and version.", pattern=r"^[a-z0-9.-]+(/[a-z0-9]+)?$")
    kind_name: str = Field(alias="kind", description="Its kind.", pattern=r"^[A-Z][A-Za-z0-9]*$")
    metadata: Metadata = Field(description="Its metadata, with the name.")
