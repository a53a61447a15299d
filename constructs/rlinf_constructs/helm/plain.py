"""The plain rendering: a tree of nodes, evaluated on concrete values, as Kubernetes objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rlinf_constructs.helm import go
from rlinf_constructs.helm.document import Entry, Guard, Mapping, Node, Scalar, Sequence, Splice
from rlinf_constructs.helm.expressions import Environment, Literal
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.placeholders import Each, When


def render(document: Mapping, environment: Environment) -> list[dict[str, Any]]:
    """The objects that a document stands for: none, one, or one for each element of its loop."""
    return list(_instances(document, document.guards, environment))


def _instances(node: Node, guards: tuple[Guard, ...], environment: Environment) -> Iterator[Any]:
    """The node's value, as often as its guards want it."""
    if not guards:
        if node.remains is None or go.truth(node.remains.evaluate(environment)):
            yield content(node, environment)
        return
    outer, *inner = guards
    if isinstance(outer, When):
        if go.truth(outer.condition.evaluate(environment)):
            yield from _instances(node, tuple(inner), environment)
        return
    for iteration in iterations(outer, environment):
        yield from _instances(node, tuple(inner), iteration)


def iterations(loop: Each, environment: Environment) -> Iterator[Environment]:
    """The environment of each turn of a loop, with its variables; maps go by the order of their keys."""
    collection = loop.collection.evaluate(environment) or ()
    pairs = [(key, collection[key]) for key in sorted(collection, key=str.encode)] if go.is_map(collection) else None
    for key, value in pairs if pairs is not None else enumerate(collection):
        variables: dict[str, Any] = {loop.value.name: value}
        if loop.key is not None:
            variables[loop.key.name] = key
        yield environment.bind(**variables)


def content(node: Node, environment: Environment) -> Any:
    """What the node itself stands for, whatever its guards say."""
    if isinstance(node, Scalar):
        return None if node.value is None else _scalar(node, environment)
    if isinstance(node, Sequence):
        return [value for item in node.items for value in _items(item, environment)]
    result: dict[str, Any] = {}
    for entry in node.entries:
        result.update(_entry(entry, environment))
    return result


def _items(item: Node, environment: Environment) -> Iterator[Any]:
    """The item, or all elements of the list expression that stands in the place of one."""
    is_list = isinstance(item, Scalar) and item.value is not None and item.value.kind is Kind.LIST
    for value in _instances(item, item.guards, environment):
        yield from value if is_list else [value]


def _scalar(node: Scalar, environment: Environment) -> Any:
    assert node.value is not None
    value = node.value.evaluate(environment)
    # cdk8s hands whole numbers on as floats.
    if isinstance(node.value, Literal) and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _entry(entry: Entry | Splice, environment: Environment) -> dict[str, Any]:
    if isinstance(entry, Entry):
        node = entry.node
        values = list(_instances(node, node.guards, environment))
        return {entry.key: values[-1]} if values else {}
    holder = Scalar(value=entry.value, guards=entry.guards)
    result: dict[str, Any] = {}
    for value in _instances(holder, holder.guards, environment):
        result.update(value)
    return result
