"""`image`: what the pods run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.section import DnsName, Section


class Image(Section):
    """The container image."""

    repository: str = Field(
        default="rlinf-eks-runtime",
        description="Image with the engine, Python 3.10 or newer as `python3`, and Ray 2.52 or newer. Without a tag.",
        pattern=r"^([a-z0-9][a-z0-9.-]*(:[0-9]+)?/)?[a-z0-9]([a-z0-9._/-]*[a-z0-9])?$",
    )
    tag: str = Field(
        default="", description="Tag of the image. Empty: the chart's appVersion.", pattern=r"^[A-Za-z0-9_.-]{0,128}$"
    )
    digest: str = Field(
        default="",
        description="Digest of the image (sha256:...), which wins over the tag.",
        pattern=r"^(sha256:[0-9a-f]{64})?$",
    )
    pull_policy: Literal["IfNotPresent", "Always", "Never"] = Field(
        default="IfNotPresent", description="When to pull it."
    )
    pull_secrets: list[DnsName] = Field(
        default_factory=list[str], description="Names of Secrets with the credentials of the image registry."
    )
