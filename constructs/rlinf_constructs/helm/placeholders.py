"""How an expression travels through cdk8s, whose constructs take plain strings, numbers, lists and maps.

A marker (markers.py), or a list or map of one element that is a marker, stands for the expression; `document.py` turns
it into the expression again.

A marker can also carry effects on what surrounds it: `when` drops it, `each` repeats it, `extend` adds fields to it,
`shared` moves it into a named template, `all_of` puts a list expression in its place. A construct carries no marker:
what acts on it is remembered beside it (`effects_on`).

So `{"spec": when(is_large, {"size": "1Gi"})}` travels as `{"spec": {"size": "1Gi", "${helm:00000007}": ""}}`. Number 7
stands for an empty text with the effect `(1, When(is_large))`: one level up from the marker is the map, and
`document.parse`, which carries effects up to where they belong, gives that map the guard and drops the key.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from constructs import Construct, IConstruct

from rlinf_constructs.helm import markers
from rlinf_constructs.helm.expressions import Expression, Literal, Operand, Variable, fmt
from rlinf_constructs.helm.kinds import Kind

Item = TypeVar("Item")
StringLike = str | Expression
IntegerLike = int | Expression
BooleanLike = bool | Expression


@dataclass(frozen=True)
class When:
    """Present only when the condition is true."""

    condition: Expression


@dataclass(frozen=True)
class Each:
    """Repeated for every element of a list, or entry of a map."""

    collection: Expression
    value: Variable
    key: Variable | None = None


@dataclass(frozen=True)
class Fields:
    """Fields that the typed struct of cdk8s cannot carry, such as a boolean that is an expression."""

    fields: dict[str, Any]


@dataclass(frozen=True)
class Shared:
    """Written once, as a named template, where several places have it."""

    name: str
    about: str


@dataclass(frozen=True)
class Whole:
    """Another value in the place of the node, which was there for its type only."""

    value: Expression


Effect = When | Each | Fields | Shared | Whole


@dataclass(frozen=True)
class Marked:
    """What a marker stands for.

    Attributes:
        value: the expression in the marker's place.
        effects: each with the number of levels up from the marker to the node that it acts on.
    """

    value: Expression
    effects: tuple[tuple[int, Effect], ...] = field(default=())


def string(value: Operand) -> str:
    """A string for a field of cdk8s that stands for the value.

    >>> string("literal")
    'literal'
    """
    return str(value)


def unless_empty(value: StringLike) -> str | None:
    """A string for a field of cdk8s that is left out where the value is empty.

    >>> unless_empty("")
    """
    return when(value, string(value)) if isinstance(value, Expression) else value or None


def number(value: IntegerLike) -> int | float:
    """A number for a field of cdk8s that stands for the value."""
    return markers.number(value) if isinstance(value, Expression) else value


def boolean(value: BooleanLike) -> bool | str:
    """What stands for a boolean in an untyped object; a typed struct needs `extend`."""
    return markers.text(value) if isinstance(value, Expression) else value


def string_list(value: Expression) -> list[str]:
    """A list for a field of cdk8s that stands for a whole list of strings."""
    return [string(value)]


def splice(value: Expression) -> dict[str, Any]:
    """An entry for a map of cdk8s that stands for all entries of the map expression."""
    assert value.kind is Kind.MAP, f"only a map can be spliced into a map, not {value}"
    return {string(value): ""}


def decode(value: Any) -> Marked | None:
    """What a scalar stands for, or None when it is an ordinary one."""
    if isinstance(value, float):
        meaning = markers.of_number(value)
        return None if meaning is None else _marked(meaning)
    if not isinstance(value, str):
        return None
    literals, meanings = markers.of_text(value)
    if not meanings:
        return None
    if literals == ["", ""]:
        return _marked(meanings[0])
    return _joined(literals, [_marked(meaning) for meaning in meanings])


def _marked(meaning: object) -> Marked:
    """A marker's meaning: an expression, which has no effects, or one with effects."""
    if isinstance(meaning, Marked):
        return meaning
    assert isinstance(meaning, Expression)
    return Marked(meaning)


def _joined(literals: list[str], marked: list[Marked]) -> Marked:
    """A string with markers between literal parts: a Format of all, with the effects of all."""
    parts: list[Expression] = [Literal(literals[0])]
    for it, literal in zip(marked, literals[1:], strict=True):
        parts += [it.value, Literal(literal)]
    effects = tuple(effect for it in marked for effect in it.effects)
    return Marked(fmt(*(part for part in parts if part != Literal(""))), effects)


def when(condition: Expression, item: Item) -> Item:
    """The item, present only when the condition is true.

    Args:
        condition: an expression; anything that Helm's `if` takes for true.
        item: a scalar, a dict, a struct of cdk8s, or a construct with all its API objects.

    Raises:
        TypeError: when nothing in the item can carry the mark.
    """
    return _affect(item, When(condition))


def each(collection: Expression, item: Callable[[Any], Item], *, name: str) -> Item:
    """One item for each element of a list.

    Args:
        collection: a list expression; its elements may be objects of the values model.
        item: makes the item from the loop's variable.
        name: the variable's name in the template.
    """
    return _affect(item(collection.element(name)), Each(collection, Variable(name=name)))


def each_entry(
    collection: Expression, item: Callable[[Expression, Any], Item], *, key: str = "name", value: str = "value"
) -> Item:
    """One item for each entry of a map, in the order of the keys.

    Args:
        collection: a map expression; its values may be objects of the values model.
        item: makes the item from the loop's variables, the key's and the value's.
        key: name of the key's variable in the template.
        value: name of the value's variable in the template.
    """
    loop = Each(collection, Variable(name=value), Variable(name=key))
    return _affect(item(Variable(name=key), collection.entry(value)), loop)


def extend(item: Item, **fields: Any) -> Item:
    """The item with fields added, in Kubernetes' own spelling, that its typed struct cannot carry.

    `**splice(value)` adds all entries of a map expression.
    """
    return _affect(item, Fields(fields))


def shared(name: str, item: Item, *, about: str) -> Item:
    """The item, written once as a named template that all places include which have it with this name and content.

    It changes how templates read, and nothing of what they give.

    Args:
        name: of the template, without the chart's prefix; what has the name and another content stays in its place.
        item: the list, dict or struct of cdk8s that is the value of a key, or an item of a list: those that follow each
            other in it with this name are moved together.
        about: the comment above the named template.
    """
    return _affect(item, Shared(name, about))


def all_of(items: Expression, placeholder: Item) -> Item:
    """All elements of a list expression, in the place of one item of a typed list.

    Args:
        items: a list expression; the typed struct could not carry its free-form elements.
        placeholder: the smallest item that the type allows; nothing of it is written.
    """
    return _affect(placeholder, Whole(items))


# On constructs, which carry no marker themselves; like markers, they live as long as the process.
_effects: dict[IConstruct, list[Effect]] = {}


def effects_on(construct: IConstruct) -> list[Effect]:
    """The effects on every API object in a construct, in the order in which they were put there."""
    return _effects.get(construct, [])


def _affect(item: Item, effect: Effect) -> Item:
    marked = _mark(item, effect, up=0)
    if marked is None:
        raise TypeError(f"no string or number in {item!r} can carry the mark of {type(effect).__name__}")
    return marked


def _mark(item: Any, effect: Effect, up: int) -> Any:
    """A copy of the item whose first string or number carries the effect, or None when it has neither."""
    if isinstance(item, Expression):
        item = string(item)
    if isinstance(item, (str, int, float)):
        return None if isinstance(item, bool) else _mark_scalar(item, effect, up)
    if isinstance(item, list):
        return _mark_in_list(cast("list[Any]", item), effect, up)
    if isinstance(item, dict):
        return _mark_in_dict(cast("dict[Any, Any]", item), effect, up)
    if isinstance(item, Construct):
        _effects.setdefault(item, []).append(effect)
        return item
    return _mark_in_struct(item, effect, up)


def _carrier(effect: Effect, up: int) -> str:
    return markers.text(Marked(Literal(""), ((up, effect),)))


def _mark_scalar(item: str | float, effect: Effect, up: int) -> str | float:
    marked = decode(item)
    value = Literal(item) if marked is None else marked.value
    effects = () if marked is None else marked.effects
    # The newest effect is the outermost one.
    marker = Marked(value, ((up, effect), *effects))
    return markers.text(marker) if isinstance(item, str) else markers.number(marker)


def _mark_in_list(items: list[Any], effect: Effect, up: int) -> list[Any] | None:
    for position, item in enumerate(items):
        marked = _mark(item, effect, up + 1)
        if marked is not None:
            return [*items[:position], marked, *items[position + 1 :]]
    return None


def _mark_in_dict(mapping: dict[Any, Any], effect: Effect, up: int) -> dict[Any, Any] | None:
    if not mapping:
        return None
    return {**mapping, _carrier(effect, up + 1): ""}


def _mark_in_struct(item: Any, effect: Effect, up: int) -> Any:
    """Structs of jsii are immutable: rebuild one from its public properties."""
    names = [name for name in inspect.signature(type(item).__init__).parameters if name != "self"]
    properties = {name: getattr(item, name) for name in names}
    for name in sorted(names, key=lambda name: not isinstance(properties[name], str)):
        if properties[name] is None:
            continue
        marked = _mark(properties[name], effect, up + 1)
        if marked is not None:
            return type(item)(**{**properties, name: marked})
    return None
