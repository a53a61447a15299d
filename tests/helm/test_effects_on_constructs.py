"""What acts on a construct acts on all API objects in it, however deep they are."""

from __future__ import annotations

import cdk8s
import pytest
from cdk8s_plus_35 import k8s
from constructs import Construct

from rlinf_constructs import helm
from rlinf_constructs.helm import Environment, Helper
from sample_chart import values


@pytest.fixture
def made() -> Helper:
    """A construct with an object and a construct of its own, which has another; each depends on something else."""
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "sample")
    outer = Construct(objects, "Outer")
    helm.when(values.service.enabled, outer)
    inner = helm.when(values.text, Construct(outer, "Inner"))
    alone = k8s.KubeConfigMap(outer, "Alone", metadata=k8s.ObjectMeta(name="alone"))
    k8s.KubeConfigMap(inner, "Deep", metadata=k8s.ObjectMeta(name="deep"))
    helm.when(values.count > 1, alone)
    k8s.KubeConfigMap(objects, "Beside", metadata=k8s.ObjectMeta(name="beside"))
    return helm.made_objects(objects, name="sample.objects")


@pytest.mark.parametrize(
    ("enabled", "text", "count", "names"),
    [
        (True, "yes", 2, ["alone", "deep"]),
        (True, "yes", 1, ["deep"]),
        (True, "", 2, ["alone"]),
        (False, "yes", 2, []),
    ],
)
def test_an_object_has_the_conditions_of_all_constructs_around_it(
    made: Helper, enabled: bool, text: str, count: int, names: list[str]
) -> None:
    """Also of objects that were added after the condition; what stands beside them has none."""
    environment = Environment(values={"service": {"enabled": enabled}, "text": text, "count": count})

    assert sorted(made.evaluate(environment)) == [f"ConfigMap/{name}" for name in sorted([*names, "beside"])]
