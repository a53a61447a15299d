"""A chart on its way to others: packed, signed, published."""

from rlinf_charts.packaging.archive import Packaged, PackageError, check_version, pack, read_package
from rlinf_charts.packaging.provenance import SigningError, sign
from rlinf_charts.packaging.publishing import Outcome, PublishError, publish
from rlinf_charts.packaging.registry import Published, RegistryError, Repository
from rlinf_charts.semantic_versions import tag_of, versions_of

__all__ = [
    "Outcome",
    "PackageError",
    "Packaged",
    "PublishError",
    "Published",
    "RegistryError",
    "Repository",
    "SigningError",
    "check_version",
    "pack",
    "publish",
    "read_package",
    "sign",
    "tag_of",
    "versions_of",
]
