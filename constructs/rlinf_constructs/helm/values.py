"""The values of a chart as expressions, mirrored from the pydantic model that declares them."""

from __future__ import annotations

import types
import typing
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rlinf_constructs.helm.expressions import Environment, Expression, Reference, Scope, Variable, call
from rlinf_constructs.helm.kinds import Kind
from rlinf_constructs.helm.nearest import nearest

_KINDS: dict[Any, Kind] = {
    str: Kind.STRING,
    bool: Kind.BOOLEAN,
    int: Kind.INTEGER,
    float: Kind.NUMBER,
    list: Kind.LIST,
    dict: Kind.MAP,
}


class ValuesRef(Expression):
    """A place in the values: an expression whose attributes are the places below it.

    >>> class Values(BaseModel):
    ...     node_count: int = 1
    >>> ValuesRef(Values).node_count.template(Scope())
    'int64 .Values.node_count'
    """

    def __init__(self, annotation: Any, base: Expression | None = None, path: tuple[str, ...] = ()) -> None:
        _refuse_shadowed_fields(annotation)
        self._annotation = annotation
        self._base = Reference(root="Values", path=(), kind=Kind.MAP) if base is None else base
        self._path = path
        self.kind = kind_of(annotation)

    def __getattr__(self, name: str) -> ValuesRef:
        """The place below this one, by the model's attribute name.

        Raises:
            AttributeError: when the model has no such field; names the nearest one.
        """
        fields = self._annotation.model_fields if _is_model(self._annotation) else {}
        if name not in fields:
            near = nearest(name, fields)
            hint = f"; did you mean {near!r}?" if near else f"; it has {', '.join(fields) or 'no fields'}"
            raise AttributeError(f"the values have no {'.'.join((*self._path, name))!r}{hint}")
        field = fields[name]
        path = (*self._path, field.alias or name)
        return ValuesRef(field.annotation, self._at(path, field), path)

    def _at(self, path: tuple[str, ...], field: FieldInfo) -> Expression:
        kind = kind_of(field.annotation)
        if isinstance(self._base, Reference):
            return Reference(root=self._base.root, path=path, kind=kind)
        assert isinstance(self._base, Variable), f"{path} lies below a key with a default of its own"
        if field.is_required():
            return Variable(name=self._base.name, path=path, kind=kind)
        if kind in (Kind.LIST, Kind.MAP):
            # A loop over what is missing has no turn.
            return Variable(name=self._base.name, path=path, kind=kind)
        # values.yaml cannot give defaults to the items of a list, so the expression does.
        item = Variable(name=self._base.name, kind=Kind.MAP)
        found = call("dig", *path, field.default, item, kind=kind)
        return call("int64", found) if kind is Kind.INTEGER else found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValuesRef) and other._base == self._base

    def __hash__(self) -> int:
        return hash(self._base)

    def __repr__(self) -> str:
        return f"ValuesRef({self._base.template(Scope())})"

    def element(self, name: str) -> ValuesRef:
        """The loop variable of that name for the elements of this list, typed by the model."""
        (annotation,) = get_args(_plain(self._annotation))
        return ValuesRef(annotation, Variable(name=name, kind=kind_of(annotation)))

    def entry(self, name: str) -> ValuesRef:
        """The loop variable of that name for the values of this map, typed by the model."""
        _, annotation = get_args(_plain(self._annotation))
        return ValuesRef(annotation, Variable(name=name, kind=kind_of(annotation)))

    def template(self, scope: Scope) -> str:
        """The dotted path."""
        return self._base.template(scope)

    def output(self, scope: Scope) -> str:
        """The path as a pipeline."""
        return self._base.output(scope)

    def evaluate(self, environment: Environment) -> Any:
        """The value at the path."""
        return self._base.evaluate(environment)


def kind_of(annotation: Any) -> Kind:
    """The kind of value that a field of the model holds.

    Raises:
        TypeError: for an annotation that Helm values cannot have.
    """
    annotation = _plain(annotation)
    if _is_model(annotation):
        return Kind.MAP
    origin = get_origin(annotation) or annotation
    if origin is typing.Literal:
        return kind_of(type(get_args(annotation)[0]))
    if origin not in _KINDS:
        raise TypeError(f"a field of the values cannot be of type {annotation!r}: use a model or one of {list(_KINDS)}")
    return _KINDS[origin]


def _plain(annotation: Any) -> Any:
    """The annotation without `Annotated`, and the first member of a union."""
    if get_origin(annotation) is typing.Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return _plain(get_args(annotation)[0])
    return annotation


def _refuse_shadowed_fields(annotation: Any) -> None:
    """A field named like a method of expressions could never be reached."""
    if not _is_model(annotation):
        return
    shadowed = sorted(set(annotation.model_fields) & {*dir(ValuesRef), "kind"})
    if shadowed:
        raise TypeError(f"{annotation.__name__} has fields named like members of an expression: rename {shadowed}")
    aliases = [field.alias or name for name, field in annotation.model_fields.items()]
    unreachable = [alias for alias in aliases if not alias.isidentifier()]
    if unreachable:
        raise TypeError(f"{annotation.__name__} has keys that a template cannot reach by a dot: rename {unreachable}")


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
