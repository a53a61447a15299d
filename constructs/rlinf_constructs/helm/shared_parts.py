"""Parts that templates have in common: each is written once, as a named template that the others include."""

from __future__ import annotations

import collections.abc
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rlinf_constructs.helm import plain, template
from rlinf_constructs.helm.document import Entry, Mapping, Node, Scalar, Sequence, as_scalar
from rlinf_constructs.helm.expressions import Environment, Expression, Scope
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.named_templates import Helper
from rlinf_constructs.helm.placeholders import Each, Shared


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
    """The ids of the nodes whose content several places have; of one name, the most frequent where places differ.

    Items of a list that go together have the id of the first of them.
    """
    parts = {
        place: (shared.name, template.content(part, Scope()))
        for document in documents
        for place, shared, part in _candidates(document)
    }
    repeated = [part for part, count in Counter(parts.values()).most_common() if count > 1]
    chosen = dict(reversed(repeated))
    return {node for node, (name, text) in parts.items() if chosen.get(name) == text}


def _candidates(node: Node) -> Iterator[tuple[int, Shared, Mapping | Sequence]]:
    """What is marked as shared and can be moved: what stands in a loop depends on the loop's variables."""
    if isinstance(node, Scalar) or _is_loop(node):
        return
    if isinstance(node, Mapping):
        children = [entry.node for entry in node.entries if isinstance(entry, Entry)]
        yield from ((id(it), it.shared, it) for it in children if not isinstance(it, Scalar) and it.shared is not None)
    else:
        children = node.items
        yield from ((id(run[0]), shared, Sequence(items=run)) for shared, run in _runs(node) if shared is not None)
    for child in children:
        yield from _candidates(child)


def _runs(node: Sequence) -> Iterator[tuple[Shared | None, tuple[Node, ...]]]:
    """The items of a list, those that follow each other with the same mark together."""
    for shared, run in itertools.groupby(node.items, lambda it: None if isinstance(it, Scalar) else it.shared):
        yield shared, tuple(run)


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
        items = [item for shared, run in _runs(node) for item in self._items(shared, run)]
        return node if _is_loop(node) else replace(node, items=tuple(items))

    def _items(self, shared: Shared | None, run: tuple[Node, ...]) -> tuple[Node, ...]:
        """Items of a list, or the include of all of them."""
        inner = tuple(self.mapping(item) if isinstance(item, Mapping) else item for item in run)
        if shared is None or id(run[0]) not in self._repeated:
            return inner
        return (Scalar(value=self._helper(shared, Sequence(items=inner))),)

    def _value(self, node: Node) -> Node:
        """The value of a key, or its include."""
        if isinstance(node, Scalar):
            return node
        inner = self.mapping(node) if isinstance(node, Mapping) else self._sequence(node)
        if node.shared is None or id(node) not in self._repeated:
            # A list of which nothing is left but an include is that include.
            return as_scalar(inner)
        return Scalar(value=self._helper(node.shared, replace(inner, guards=(), shared=None)), guards=node.guards)

    def _helper(self, shared: Shared, part: Mapping | Sequence) -> Helper:
        helper = Helper(name=f"{self._prefix}.{shared.name}", body=Fragment(part), about=shared.about)
        return self.helpers.setdefault(shared.name, helper)
