"""The values of a chart variant: the same keys, other defaults."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, create_model
from pydantic.fields import FieldInfo

from rlinf_constructs.helm import go, merge


def with_defaults(model: type[BaseModel], changed: dict[str, Any]) -> type[BaseModel]:
    """The model with these values in place of its defaults.

    Schema, values.yaml and reference are made from a model, so all of them follow.

    Args:
        model: of the values.
        changed: values that the model's schema allows; what is missing keeps its default.
    """
    present = model()
    fields = {
        name: _with_default(field, changed[field.alias or name], getattr(present, name))
        for name, field in model.model_fields.items()
        if (field.alias or name) in changed
    }
    # pydantic's own types describe the model's options, not its fields.
    create: Any = create_model
    return create(model.__name__, __base__=model, __doc__=model.__doc__, __module__=model.__module__, **fields)


def _with_default(field: FieldInfo, value: Any, default: Any) -> tuple[Any, FieldInfo]:
    """Annotation and description of the field as they were; sections become sections with other defaults."""
    about = field.asdict()
    annotation: Any = about["annotation"]
    if isinstance(default, BaseModel):
        annotation = with_defaults(type(default), value)
        made: dict[str, Any] = {"default_factory": annotation}
    else:
        whole = merge.overlay(default, value) if go.is_map(default) and go.is_map(value) else value
        made = {"default": TypeAdapter(annotation).validate_python(whole)}
    attributes = {key: it for key, it in about["attributes"].items() if not key.startswith("default")}
    return Annotated[(annotation, *about["metadata"])] if about["metadata"] else annotation, Field(**attributes, **made)
