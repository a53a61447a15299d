"""`image`: what the pods run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rlinf_charts.values.section import DnsName, Section

_HOST = r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*(:[0-9]{1,5})?"
_PART = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = rf"({_HOST}/)?{_PART}(/{_PART})*"
REPOSITORY = rf"^{_REPOSITORY}$"
_TAG = r"[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}"
_DIGEST = r"sha256:[0-9a-f]{64}"
# As container registries define it.
REFERENCE = rf"^{_REPOSITORY}(:{_TAG})?(@{_DIGEST})?$"


class Image(Section):
    """The container image."""

    repository: str = Field(
        default="rlinf-eks-runtime",
        description="Image with the engine, Python 3.10 or newer as `python3`, and Ray 2.52 or newer. Without a tag.",
        pattern=REPOSITORY,
        max_length=255,
    )
    tag: str = Field(
        default="", description="Tag of the image. Empty: the chart's appVersion.", pattern=rf"^({_TAG})?$"
    )
    digest: str = Field(
        default="",
        description="Digest of the image (sha256:...), which wins over the tag.",
        pattern=rf"^({_DIGEST})?$",
    )
    pull_policy: Literal["IfNotPresent", "Always", "Never"] = Field(
        default="IfNotPresent", description="When to pull it."
    )
    pull_secrets: list[DnsName] = Field(
        default_factory=list[str], description="Names of Secrets with the credentials of the image registry."
    )
