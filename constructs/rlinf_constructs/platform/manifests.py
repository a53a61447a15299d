"""Whole objects from the values, and what is added to all objects."""

from __future__ import annotations

import cdk8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import Expression


class Manifests(Construct):
    """Objects that a list of the values holds, as they are."""

    def __init__(self, scope: Construct, construct_id: str, manifests: Expression) -> None:
        super().__init__(scope, construct_id)
        # Kind and version are the elements' own.
        item = cdk8s.ApiObject(self, "Object", api_version="v1", kind="Object")
        whole = helm.each(manifests, helm.splice, name="manifest")
        item.add_json_patch(cdk8s.JsonPatch.replace("", whole))


def annotate(objects: cdk8s.Chart, annotations: Expression) -> None:
    """Add all entries of a map expression to the annotations of every object in the chart.

    Args:
        objects: the chart; `Manifests` in it stay as they are.
        annotations: whose keys no object has yet.
    """
    for construct in objects.node.find_all():
        if isinstance(construct, cdk8s.ApiObject):
            construct.metadata.add_annotation(helm.string(annotations), "")
