"""Values with other defaults."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from rlinf_constructs.helm import values_yaml
from rlinf_constructs.helm.defaults import with_defaults
from rlinf_constructs.helm.schema import values_schema


class Section(BaseModel):
    """Unknown keys are refused, as in a chart."""

    model_config = ConfigDict(extra="forbid")


class Volume(Section):
    """An item of a list."""

    claim: str = Field(alias="claim", description="The claim.")
    path: str = Field(default="/data", alias="mountPath", description="Where it is mounted.")


class Nodes(Section):
    """A section."""

    count: int = Field(default=1, alias="count", description="Their number.", ge=1, le=8)
    labels: dict[str, str] = Field(default={"a": "1"}, alias="labels", description="Labels.")


class Values(Section):
    """All values."""

    nodes: Nodes = Field(default_factory=Nodes, alias="nodes", description="The machines.")
    volumes: list[Volume] = Field(default=[], alias="volumes", description="Volumes.")
    mode: str = Field(default="job", alias="mode", description="How it runs.")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {}),
        ({"nodes": {"count": 4}}, {"nodes": {"count": 4, "labels": {"a": "1"}}}),
        ({"nodes": {"labels": {"b": "2"}}}, {"nodes": {"count": 1, "labels": {"a": "1", "b": "2"}}}),
        ({"mode": ""}, {"mode": ""}),
        ({"volumes": [{"claim": "fsx"}]}, {"volumes": [{"claim": "fsx", "mountPath": "/data"}]}),
    ],
    ids=["none", "leaf", "map", "empty", "items"],
)
def test_maps_merge_and_all_else_is_replaced(changed: dict[str, Any], expected: dict[str, Any]) -> None:
    """As Helm lays values over defaults; items of lists get the defaults of their own keys."""
    model = with_defaults(Values, changed)
    assert values_yaml.defaults(model) == {**values_yaml.defaults(Values), **expected}


def test_only_defaults_change() -> None:
    """Ranges, descriptions and the order of the keys stay, and so does the model itself."""
    model = with_defaults(Values, {"mode": "pod", "nodes": {"count": 4}})

    schema = values_schema(model, title="")
    assert list(schema["properties"])[:3] == ["nodes", "volumes", "mode"]
    assert schema["properties"]["nodes"]["properties"]["count"] == {
        "default": 4,
        "description": "Their number.",
        "maximum": 8,
        "minimum": 1,
        "type": "integer",
    }
    assert values_yaml.defaults(Values)["mode"] == "job"
