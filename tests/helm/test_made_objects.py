"""Which objects a chart makes, as a list that its rules can ask."""

from __future__ import annotations

from typing import Any

import cdk8s
import pytest
from cdk8s_plus_35 import k8s

from rlinf_constructs import helm
from rlinf_constructs.helm import Environment, Helper
from rlinf_constructs.platform.manifests import Manifests
from sample_chart import values


@pytest.fixture
def made() -> Helper:
    """Of a chart with an object of each kind of presence."""
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "sample")
    k8s.KubeConfigMap(objects, "Always", metadata=k8s.ObjectMeta(name="always"))
    service = k8s.KubeDeployment(objects, "Sometimes", metadata=k8s.ObjectMeta(name=helm.string(values.text)))
    helm.when(values.service.enabled, service)
    helm.each(
        values.names,
        lambda name: k8s.KubeSecret(objects, "Each", metadata=k8s.ObjectMeta(name=helm.string(name))),
        name="name",
    )
    Manifests(objects, "Whole", values.objects)
    return helm.made_objects(objects, name="sample.objects")


def found(made: Helper, **given: Any) -> list[str]:
    """What the list has with these values."""
    return made.evaluate(
        Environment(values={"text": "web", "service": {"enabled": True}, "names": [], "objects": [{}], **given})
    )


def test_each_object_is_known_by_group_kind_and_name(made: Helper) -> None:
    """As it stands in the cluster; whole objects from the values are not the chart's."""
    assert found(made, names=["a", "b"]) == ["ConfigMap/always", "apps/Deployment/web", "Secret/a", "Secret/b"]


def test_an_object_that_is_not_made_is_not_in_the_list(made: Helper) -> None:
    """By the very conditions of the object itself."""
    assert found(made, service={"enabled": False}) == ["ConfigMap/always"]
