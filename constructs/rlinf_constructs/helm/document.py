"""A Kubernetes object with expressions in it: the tree between what cdk8s gives and what the two renderers write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from rlinf_constructs.helm.expressions import Expression, Literal, call
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.placeholders import Each, Effect, Fields, Marked, Shared, When, Whole, decode

Guard = When | Each

# The order in which people read an object; other keys follow in alphabetical order, as cdk8s gives them.
_KEY_ORDER = ("apiVersion", "kind", "metadata", "name", "key", "type", "spec")


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """A constant or an expression; an expression of kind list or map stands for the whole list or map."""

    value: Expression | None
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A key with its node, or a map expression whose entries stand in its place."""

    key: str
    node: Node


@dataclass(frozen=True, kw_only=True)
class Splice:
    """A map expression, all of whose entries belong to the mapping around it."""

    value: Expression
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """Entries in the order in which they are written."""

    entries: tuple[Entry | Splice, ...]
    guards: tuple[Guard, ...] = ()
    shared: Shared | None = None


@dataclass(frozen=True, kw_only=True)
class Sequence:
    """Items of a list."""

    items: tuple[Node, ...]
    guards: tuple[Guard, ...] = ()
    shared: Shared | None = None


Node = Mapping | Sequence | Scalar
Pending = list[tuple[int, Effect]]


def parse(manifest: dict[str, Any]) -> Mapping:
    """Turn a manifest from `chart.to_json()` into a tree of nodes.

    Raises:
        ValueError: when an effect points above the manifest's root.
    """
    node, pending = _parse(manifest)
    if pending:
        raise ValueError(f"an effect points above its object: {pending}")
    assert isinstance(node, Mapping)
    return node


def _parse(value: Any) -> tuple[Node, Pending]:
    if isinstance(value, dict):
        return _parse_mapping(cast("dict[str, Any]", value))
    if isinstance(value, list):
        return _parse_sequence(cast("list[Any]", value))
    marked = decode(value)
    if marked is None:
        return Scalar(value=None if value is None else Literal(value)), []
    return _with_effects(Scalar(value=marked.value), list(marked.effects))


def _parse_mapping(value: dict[str, Any]) -> tuple[Node, Pending]:
    if len(value) == 1:
        (key,) = value
        whole = decode(key)
        if whole is not None and whole.value.kind is Kind.MAP:
            return _with_effects(Scalar(value=whole.value), list(whole.effects))
    pending: Pending = []
    entries: list[Entry | Splice] = []
    for key, child in value.items():
        pending += _parse_entry(key, child, entries)
    node, rest = _with_effects(Mapping(entries=tuple(entries)), pending)
    if not isinstance(node, Mapping):
        return node, rest
    return replace(node, entries=tuple(sorted(node.entries, key=_reading_order))), rest


def _parse_entry(key: str, child: Any, entries: list[Entry | Splice]) -> Pending:
    marked = decode(key)
    if marked is not None:
        return _parse_marked_key(marked, entries)
    node, pending = _parse(child)
    node = _as_scalar(node)
    # An annotations map that held nothing but a carrier was made for it only.
    if not (isinstance(node, Mapping) and not node.entries and child):
        entries.append(Entry(key=key, node=node))
    return [(up - 1, effect) for up, effect in pending]


def _as_scalar(node: Node) -> Node:
    """A map or list expression that is alone in a mapping or list is the whole of it."""
    match node:
        case Mapping(entries=(Splice(value=value, guards=()),), guards=()):
            return Scalar(value=value)
        case Sequence(items=(Scalar(value=Expression(kind=Kind.LIST) as value, guards=()),), guards=()):
            return Scalar(value=value)
        case _:
            return node


def _parse_marked_key(marked: Marked, entries: list[Entry | Splice]) -> Pending:
    if marked.value.kind is Kind.MAP:
        guards = tuple(cast("Guard", effect) for up, effect in marked.effects if up == 0)
        entries.append(Splice(value=marked.value, guards=guards))
    return [(up - 1, effect) for up, effect in marked.effects if up > 0]


def _parse_sequence(value: list[Any]) -> tuple[Node, Pending]:
    if len(value) == 1:
        whole = decode(value[0])
        if whole is not None and whole.value.kind is Kind.LIST:
            return _with_effects(Scalar(value=whole.value), list(whole.effects))
    items: list[Node] = []
    pending: Pending = []
    for child in value:
        node, above = _parse(child)
        items.append(node)
        pending += [(up - 1, effect) for up, effect in above]
    return _with_effects(Sequence(items=tuple(items)), pending)


def _with_effects(node: Node, pending: Pending) -> tuple[Node, Pending]:
    """Apply the effects that have arrived at this node; return those that go further up."""
    for up, effect in pending:
        if up != 0:
            continue
        if isinstance(effect, Fields):
            node = _with_fields(node, effect.fields)
        elif isinstance(effect, Shared):
            # What is one expression is short already.
            node = node if isinstance(node, Scalar) else replace(node, shared=effect)
        elif isinstance(effect, Whole):
            node = Scalar(value=effect.value, guards=node.guards)
        else:
            node = replace(node, guards=(*node.guards, effect))
    return node, [(up, effect) for up, effect in pending if up != 0]


def _with_fields(node: Node, fields: dict[str, Any]) -> Node:
    assert isinstance(node, Mapping), "fields can only be added to an object"
    added = [_field(key, value) for key, value in fields.items()]
    return replace(node, entries=(*node.entries, *added))


def _field(key: str, value: Any) -> Entry | Splice:
    marked = decode(key)
    if marked is not None:
        return Splice(value=marked.value)
    if isinstance(value, Expression):
        return Entry(key=key, node=Scalar(value=value))
    node, pending = _parse(value)
    node, rest = _with_effects(node, pending)
    assert not rest, f"an effect points above the added field {key}"
    return Entry(key=key, node=node)


def _reading_order(entry: Entry | Splice) -> tuple[int, str]:
    if isinstance(entry, Splice):
        return len(_KEY_ORDER) + 1, ""
    rank = _KEY_ORDER.index(entry.key) if entry.key in _KEY_ORDER else len(_KEY_ORDER)
    return rank, entry.key


def presence(node: Node | Splice) -> Expression | None:
    """When the node is written at all: None for always.

    A node is absent when its guards say so, and when it is a list or map of which nothing remains: Kubernetes has no
    use for an empty one that was not written as such.
    """
    conditions = [_guard_presence(guard) for guard in node.guards]
    content = _content_presence(node)
    # What depends on a loop's variable cannot be asked outside the loop: a loop with elements counts as present.
    if content is not None and not any(isinstance(guard, Each) for guard in node.guards):
        conditions.append(content)
    return call("and", *conditions) if len(conditions) > 1 else next(iter(conditions), None)


def _guard_presence(guard: Guard) -> Expression:
    return guard.condition if isinstance(guard, When) else guard.collection


def _content_presence(node: Node | Splice) -> Expression | None:
    if isinstance(node, (Scalar, Splice)):
        value = node.value
        if value is None or value.kind not in (Kind.LIST, Kind.MAP):
            return None
        return None if value.is_never_empty() else value
    children = (
        [presence(item) for item in node.items]
        if isinstance(node, Sequence)
        else [presence(entry.node if isinstance(entry, Entry) else entry) for entry in node.entries]
    )
    if not children:
        return None
    return _any(children)


def _any(children: list[Expression | None]) -> Expression | None:
    conditions: list[Expression] = []
    for child in children:
        if child is None:
            return None
        if child not in conditions:
            conditions.append(child)
    return call("or", *conditions) if len(conditions) > 1 else conditions[0]
