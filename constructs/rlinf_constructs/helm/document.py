"""A Kubernetes object with expressions in it: the tree between what cdk8s gives and what the two renderers write."""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

import cdk8s
from constructs import IConstruct

from rlinf_constructs.helm.expressions import Expression, Literal, call
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.placeholders import Each, Effect, Fields, Marked, Shared, When, Whole, decode, effects_on

Guard = When | Each

# The order in which people read an object; other keys follow in alphabetical order, as cdk8s gives them.
_KEY_ORDER = ("apiVersion", "kind", "metadata", "name", "key", "type", "spec")


@dataclass(frozen=True, kw_only=True)
class _Guarded:
    """Something that is written only if its guards allow it and something of it remains.

    Kubernetes has no use for an empty list or map that was not written as such.
    """

    guards: tuple[Guard, ...] = ()

    # Both renderers ask for these at every level of the tree, and an answer walks over all that is below.
    @functools.cached_property
    def presence(self) -> Expression | None:
        """When it is written at all: None for always."""
        conditions = [_guard_presence(guard) for guard in self.guards]
        # What depends on a loop's variable cannot be asked outside the loop: a loop with elements counts as present.
        if self.remains is not None and not any(isinstance(guard, Each) for guard in self.guards):
            conditions.append(self.remains)
        return call("and", *conditions) if len(conditions) > 1 else next(iter(conditions), None)

    @functools.cached_property
    def remains(self) -> Expression | None:
        """When something of it remains, whatever its guards say: None for always."""
        return self._remains()

    def _remains(self) -> Expression | None:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Scalar(_Guarded):
    """A constant or an expression; an expression of kind list or map stands for the whole list or map."""

    value: Expression | None

    def _remains(self) -> Expression | None:
        return None if self.value is None else _value_remains(self.value)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A key with its node, or a map expression whose entries stand in its place."""

    key: str
    node: Node


@dataclass(frozen=True, kw_only=True)
class Splice(_Guarded):
    """A map expression, all of whose entries belong to the mapping around it."""

    value: Expression

    def _remains(self) -> Expression | None:
        return _value_remains(self.value)


@dataclass(frozen=True, kw_only=True)
class Mapping(_Guarded):
    """Entries in the order in which they are written."""

    entries: tuple[Entry | Splice, ...]
    shared: Shared | None = None

    def _remains(self) -> Expression | None:
        return _any(entry.node.presence if isinstance(entry, Entry) else entry.presence for entry in self.entries)


@dataclass(frozen=True, kw_only=True)
class Sequence(_Guarded):
    """Items of a list."""

    items: tuple[Node, ...]
    shared: Shared | None = None

    def _remains(self) -> Expression | None:
        return _any(item.presence for item in self.items)


Node = Mapping | Sequence | Scalar
Pending = list[tuple[int, Effect]]


def parse(manifest: dict[str, Any], effects: Iterable[Effect] = ()) -> Mapping:
    """Turn a manifest from `chart.to_json()` into a tree of nodes.

    Args:
        manifest: plain data with markers.
        effects: on the whole object.

    Raises:
        ValueError: when an effect points above the manifest's root.
    """
    node, pending = _parse(manifest)
    node, pending = _with_effects(node, [*pending, *((0, effect) for effect in effects)])
    if pending:
        raise ValueError(f"an effect points above its object: {pending}")
    assert isinstance(node, Mapping)
    return node


@functools.cache
def of_chart(objects: cdk8s.Chart) -> collections.abc.Mapping[str, list[Mapping]]:
    """The chart's objects by their construct's id, read once: what is added after the first reading is not seen."""
    ids = {construct: construct.node.id for construct in objects.node.children}
    result: dict[str, list[Mapping]] = {}
    current: list[Mapping] = []
    of_all: list[Effect] = []
    inherited: dict[IConstruct, list[Effect]] = {}
    # Parents come before their children, and one question to Node is quicker than one a construct.
    for construct in objects.node.find_all():
        if construct in ids:
            current, of_all = result.setdefault(ids[construct], []), effects_on(construct)
        elif effects := effects_on(construct):
            for item in construct.node.find_all():
                inherited.setdefault(item, []).extend(effects)
        if isinstance(construct, cdk8s.ApiObject):
            current.append(parse(construct.to_json(), [*of_all, *inherited.get(construct, [])]))
    return result


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
    entries.append(Entry(key=key, node=as_scalar(node)))
    return [(up - 1, effect) for up, effect in pending]


def as_scalar(node: Node) -> Node:
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


def _guard_presence(guard: Guard) -> Expression:
    return guard.condition if isinstance(guard, When) else guard.collection


def _value_remains(value: Expression) -> Expression | None:
    is_collection = value.kind in (Kind.LIST, Kind.MAP)
    return value if is_collection and not value.is_never_empty() else None


def _any(children: Iterable[Expression | None]) -> Expression | None:
    """When one of the children is there; None, for always, also where there are none."""
    conditions: list[Expression] = []
    for child in children:
        if child is None:
            return None
        if child not in conditions:
            conditions.append(child)
    return call("or", *conditions) if len(conditions) > 1 else next(iter(conditions), None)
