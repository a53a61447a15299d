"""Which objects a chart makes with its user's values: those of others must have other names."""

from __future__ import annotations

import cdk8s

from rlinf_constructs.helm import document
from rlinf_constructs.helm.document import Entry, Mapping, Node, Scalar, Sequence
from rlinf_constructs.helm.expressions import Expression, Literal, fmt
from rlinf_constructs.helm.named_templates import Helper
from rlinf_constructs.helm.shared_parts import Fragment


def made_objects(objects: cdk8s.Chart, *, name: str) -> Helper:
    """A named template with a list: API group, kind and name of each object that is made, as in `apps/Deployment/web`.

    Whole objects from the values are not among them.

    Args:
        objects: the cdk8s chart, with all its constructs.
        name: of the named template.
    """
    items = (_identity(item) for documents in document.of_chart(objects).values() for item in documents)
    body = Fragment(Sequence(items=tuple(item for item in items if item is not None)))
    return Helper(name=name, body=body, about="The objects that the chart makes: API group, kind and name.")


def _identity(item: Mapping) -> Scalar | None:
    """What tells the object from all others of its namespace, under the object's own guards."""
    version, kind = _constant(_child(item, "apiVersion")), _constant(_child(item, "kind"))
    metadata = _child(item, "metadata")
    name = _value(_child(metadata, "name")) if isinstance(metadata, Mapping) else None
    if version is None or kind is None or name is None:
        return None
    group, slash, _ = version.rpartition("/")
    return Scalar(value=fmt(f"{group}{slash}{kind}/", name), guards=item.guards)


def _child(node: Mapping, key: str) -> Node | None:
    return next((entry.node for entry in node.entries if isinstance(entry, Entry) and entry.key == key), None)


def _value(node: Node | None) -> Expression | None:
    return node.value if isinstance(node, Scalar) else None


def _constant(node: Node | None) -> str | None:
    value = _value(node)
    return value.value if isinstance(value, Literal) and isinstance(value.value, str) else None
