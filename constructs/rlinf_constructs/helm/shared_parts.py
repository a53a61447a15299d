"""Parts that templates have in common: each is written once, as a named template that the others include."""

from __future__ import annotations

import collections.abc
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rlinf_constructs.helm import plain, template
from rlinf_constructs.helm.document import Entry, Mapping, Node, Scalar, Sequence
from rlinf_constructs.helm.expressions import Environment, Expression, Scope
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.named_templates import Helper
from rlinf_constructs.helm.placeholders import Each


@dataclass(frozen=True, eq=False)
class Fragment(Expression):
    """A part of an object, as the body of a named template."""

    node: Mapping | Sequence
    is_body: ClassVar[bool] = True

    @property
    def kind(self) -> Kind:  # pyright: ignore[reportIncompatibleVariableOverride] - follows from the node
        """Map or list."""
        return Kind.MAP if isinstance(self.node, Mapping) else Kind.LIST

    def template(self, scope: Scope) -> str:
        """The part's YAML without indentation."""
        return template.content(self.node, scope)

    def evaluate(self, environment: Environment) -> Any:
        """The part's value."""
        return plain.content(self.node, environment)

    def is_never_empty(self) -> bool:
        """Whether something remains of it in every case."""
        return self.node.presence is None


Files = collections.abc.Mapping[str, list[Mapping]]


def extract(files: Files, *, prefix: str) -> tuple[Files, list[Helper]]:
    """Move the parts that are marked as shared, and found more than once, into named templates.

    Args:
        files: documents by the name of their file.
        prefix: of the named templates.

    Returns:
        The documents with includes in the places of those parts, and the named templates, inner ones first.
    """
    including = _Including(prefix, _repeated(document for documents in files.values() for document in documents))
    result = {name: [including.mapping(document) for document in documents] for name, documents in files.items()}
    return result, list(including.helpers.values())


def _repeated(documents: Iterable[Mapping]) -> set[int]:
    """The ids of the nodes whose content several places have; of one name, the most frequent where places differ."""
    parts = {
        id(node): (node.shared.name, template.content(node, Scope()))
        for document in documents
        for node in _candidates(document)
        if node.shared is not None
    }
    repeated = [part for part, count in Counter(parts.values()).most_common() if count > 1]
    chosen = dict(reversed(repeated))
    return {node for node, (name, text) in parts.items() if chosen.get(name) == text}


def _candidates(node: Node) -> Iterator[Mapping | Sequence]:
    """Everything that could be moved: what stands in a loop depends on the loop's variables."""
    if isinstance(node, Scalar) or _is_loop(node):
        return
    yield node
    children = node.items if isinstance(node, Sequence) else [it.node for it in node.entries if isinstance(it, Entry)]
    for child in children:
        yield from _candidates(child)


def _is_loop(node: Mapping | Sequence) -> bool:
    return any(isinstance(guard, Each) for guard in node.guards)


class _Including:
    """Puts includes in the places of what is repeated."""

    def __init__(self, prefix: str, repeated: set[int]) -> None:
        self._prefix = prefix
        self._repeated = repeated
        self.helpers: dict[str, Helper] = {}

    def mapping(self, node: Mapping) -> Mapping:
        """The mapping with includes inside it."""
        if _is_loop(node):
            return node
        entries = [
            replace(entry, node=self._value(entry.node)) if isinstance(entry, Entry) else entry
            for entry in node.entries
        ]
        return replace(node, entries=tuple(entries))

    def _sequence(self, node: Sequence) -> Sequence:
        items = [self.mapping(item) if isinstance(item, Mapping) else item for item in node.items]
        return node if _is_loop(node) else replace(node, items=tuple(items))

    def _value(self, node: Node) -> Node:
        """The value of a key, or its include."""
        if isinstance(node, Scalar):
            return node
        inner = self.mapping(node) if isinstance(node, Mapping) else self._sequence(node)
        if node.shared is None or id(node) not in self._repeated:
            return inner
        body = Fragment(replace(inner, guards=(), shared=None))
        helper = Helper(name=f"{self._prefix}.{node.shared.name}", body=body, about=node.shared.about)
        return Scalar(value=self.helpers.setdefault(node.shared.name, helper), guards=node.guards)
