"""Pods against the nodes that they select."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rlinf_charts.validation import room_faults
from rlinf_charts.validation.quantities import parse_quantity


def job(kind: str, *containers: dict[str, Any], init: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """A Job whose pods select an instance type and ask for these resources."""
    spec = {
        "nodeSelector": {"node.kubernetes.io/instance-type": kind},
        "containers": [{"resources": resources} for resources in containers],
        "initContainers": [{"resources": resources} for resources in init],
    }
    return {"kind": "Job", "metadata": {"name": "it"}, "spec": {"template": {"spec": spec}}}


def words(item: dict[str, Any]) -> list[str]:
    """The beginnings of the faults."""
    return [fault.message.partition(":")[0] for fault in room_faults(item)]


@pytest.mark.parametrize(
    ("resources", "sentence"),
    [
        ({"requests": {"cpu": "192"}}, "a pod asks for 192 cpu, and a node of type p5.48xlarge has 191.45"),
        (
            {"limits": {"memory": "2Ti"}},
            "a pod asks for 2097152Mi memory, and a node of type p5.48xlarge has 1938410Mi",
        ),
        (
            {"limits": {"vpc.amazonaws.com/efa": 33}},
            "a pod asks for 33 vpc.amazonaws.com/efa, and a node of type p5.48xlarge has 32",
        ),
        (
            {"limits": {"hugepages-2Mi": "20Gi"}},
            "a pod asks for 20480Mi hugepages-2Mi, and a node of type p5.48xlarge has 10256Mi",
        ),
    ],
)
def test_each_resource_has_its_limit(resources: dict[str, Any], sentence: str) -> None:
    """What the kubelet lets pods have, in the words of the resource."""
    assert words(job("p5.48xlarge", resources)) == [sentence]


def test_sidecars_add_up_with_the_others() -> None:
    """Though they are among the init containers."""
    half = {"requests": {"cpu": "100"}}
    item = job("p5.48xlarge", half, init=(half,))
    item["spec"]["template"]["spec"]["initContainers"][0]["restartPolicy"] = "Always"
    assert words(item) == ["a pod asks for 200 cpu, and a node of type p5.48xlarge has 191.45"]


def test_containers_add_up_and_init_containers_do_not() -> None:
    """The scheduler takes the sum, or the largest init container."""
    half = {"requests": {"cpu": "100"}}
    assert words(job("p5.48xlarge", half)) == []
    assert words(job("p5.48xlarge", half, init=(half, half))) == []
    assert words(job("p5.48xlarge", half, half)) == [
        "a pod asks for 200 cpu, and a node of type p5.48xlarge has 191.45"
    ]


def test_other_machines_are_not_judged() -> None:
    """Of a type that is not in the table nothing is known."""
    assert words(job("m7i.large", {"requests": {"cpu": "1000"}})) == []


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("250m", Fraction(1, 4)),
        ("2", Fraction(2)),
        ("1.5Gi", Fraction(3 * 2**29)),
        ("1e3", Fraction(1000)),
        (8, Fraction(8)),
    ],
)
def test_quantities(text: str | int, amount: Fraction) -> None:
    """As Kubernetes reads them."""
    assert parse_quantity(text) == amount


def test_what_is_no_quantity() -> None:
    """The sentence says how to write one."""
    with pytest.raises(ValueError, match="'8 GB' is not a quantity like 500m, 2 or 16Gi"):
        parse_quantity("8 GB")
