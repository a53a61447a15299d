"""Publishing: a version means one content, for ever."""

from __future__ import annotations

from dataclasses import dataclass

from rlinf_charts.helm_client import helm
from rlinf_charts.packaging.archive import Packaged
from rlinf_charts.packaging.provenance import provenance_of
from rlinf_charts.packaging.registry import Repository
from rlinf_charts.semantic_versions import tag_of


class PublishError(RuntimeError):
    """A version that must not be pushed."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Where the chart is, and whether this call brought it there."""

    reference: str
    is_new: bool


def publish(packaged: Packaged, reference: str, *, plain_http: bool) -> Outcome:
    """Push a packed chart, and its provenance when there is one beside it.

    What is there already with the same content is left as it is. Two that publish one version at the same moment are
    kept apart by the registry only, when its tags are immutable.

    Args:
        packaged: the chart.
        reference: oci://HOST/PATH; as with helm, the chart's name is added.
        plain_http: for registries without TLS.

    Raises:
        PublishError: when this version exists with other content.
        HelmError: when helm cannot push it.
        RegistryError: when the registry cannot be asked.
    """
    repository = Repository.from_reference(f"{reference.rstrip('/')}/{packaged.name}", plain_http=plain_http)
    target = f"oci://{repository.host}/{repository.path}:{tag_of(packaged.version)}"
    present = repository.published(tag_of(packaged.version))
    if present is not None and present.digest != packaged.digest:
        raise PublishError(
            f"{target} exists with other content ({present.digest}, and {packaged.path} is {packaged.digest}): "
            "give the changed chart a new version"
        )
    adds_provenance = present is not None and not present.is_signed and provenance_of(packaged.path).exists()
    if present is None or adds_provenance:
        helm("push", str(packaged.path), reference, *(["--plain-http"] if plain_http else []))
    return Outcome(reference=target, is_new=present is None or adds_provenance)
