"""Every rule of the chart, broken: broken_rules.yaml says by what, and how the sentence begins that refuses it."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from command_line import rlinf_eks
from rlinf_constructs.helm import Environment, HelmChart, Release, doubt, merge, rules, validate, yaml_io
from tests_support import faults, helm_template

FILE_SYSTEM = {
    "fileSystemId": "fs-0123456789abcdef0",
    "dnsName": "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com",
    "mountName": "fsx",
}
BASES: dict[str, dict[str, Any]] = {
    "": {},
    "p5": {"instance": {"type": "p5.48xlarge"}},
    "fsx": {"storage": {"fsx": FILE_SYSTEM}},
    "volumes": {
        "storage": {
            "s3": {"bucket": {"bucket": "bucket"}},
            "claims": {"read": {"claimName": "read", "mountPath": "/read", "readOnly": True}},
            "scratch": {"size": "1Ti"},
        }
    },
    "ingress": {
        "dashboard": {"ingress": {"enabled": True, "host": "ray.team.internal"}},
        "networkPolicy": {"dashboardFrom": [{"podSelector": {}}]},
    },
    "kuberay": {"mode": "raycluster"},
    "rayjob": {"mode": "rayjob"},
    "selected": {
        "mode": "rayjob",
        "rayJob": {"clusterSelector": "shared"},
        "storage": {"runs": {"existingClaim": "runs"}},
        "ray": {"auth": {"existingSecret": "token"}},
    },
    "native": {"nodes": {"gpus": 8}},
    "verl": {
        "nodes": {"gpus": 8},
        "training": {"engine": "verl", "hydra": {"actor_rollout_ref": {"model": {"path": "/models/vla"}}}},
    },
    "rlinf": {
        "nodes": {"gpus": 8},
        "training": {
            "engine": "rlinf",
            "code": "/code/RLinf",
            "rlinf": {"configName": "libero_10_grpo_openvlaoft"},
        },
    },
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Values that break a rule, over some that break none."""

    says: str
    base: str
    values: dict[str, Any]


@functools.cache
def cases() -> list[Case]:
    """Those of the file."""
    [found] = yaml_io.load_all(Path(__file__).with_name("broken_rules.yaml").read_text(encoding="utf-8"))
    return [Case(says=str(it["says"]), base=it.get("base", ""), values=it["values"]) for it in found]


def environment(chart: HelmChart, *parts: dict[str, Any]) -> Environment:
    """What the rules see of values that are laid one over the other."""
    return chart.environment(functools.reduce(merge.overlay, parts), Release(name="rel"))


def broken(chart: HelmChart, seen: Environment) -> dict[int, list[str]]:
    """The sentences of each broken rule, by its number."""
    found = {number: rules.check([rule], seen) for number, rule in enumerate(chart.rules)}
    return {number: sentences for number, sentences in found.items() if sentences}


def contradicts(values: Any, others: Any) -> bool:
    """Whether two values files give one key different values."""
    if not isinstance(values, dict) or not isinstance(others, dict):
        return values != others
    return any(contradicts(value, others[key]) for key, value in values.items() if key in others)


def together(chart: HelmChart) -> Iterator[dict[str, Any]]:
    """The values of all cases in few files, each of which breaks all rules that its cases break alone."""
    files: list[tuple[dict[str, Any], set[int]]] = []
    for case in cases():
        own = merge.overlay(BASES[case.base], case.values)
        its = set(broken(chart, environment(chart, own)))
        for number, (values, there) in enumerate(files):
            if contradicts(values, own) or its <= there:
                continue
            both = merge.overlay(values, own)
            if set(broken(chart, environment(chart, both))) >= its | there:
                files[number] = both, its | there
                break
        else:
            if not any(its <= there for _, there in files):
                files.append((own, its))
    yield from (values for values, _ in files)


def test_each_case_is_refused_as_it_says(chart: HelmChart) -> None:
    """By a rule alone: the schema has nothing against it, nor the rules against what lies below it."""
    for case in cases():
        seen = environment(chart, BASES[case.base], case.values)
        sentences = [it for found in broken(chart, seen).values() for it in found]
        assert validate.schema_faults(dict(seen.values), chart.schema()) == [], case
        assert [it for it in sentences if it.startswith(case.says)], (case, sentences)


@pytest.mark.parametrize("base", BASES)
def test_what_lies_below_the_cases_breaks_no_rule(base: str, chart: HelmChart) -> None:
    """So that a case shows its own values to be wrong."""
    assert broken(chart, environment(chart, BASES[base])) == {}


def test_every_rule_is_broken_by_a_case(chart: HelmChart) -> None:
    """A rule that nothing can break, or that nobody has tried, would be a promise without proof."""
    tried = {number for case in cases() for number in broken(chart, environment(chart, BASES[case.base], case.values))}
    assert [rule for number, rule in enumerate(chart.rules) if number not in tried] == []


def leaves(values: dict[str, Any], *above: str) -> Iterator[tuple[str, ...]]:
    """The paths of all values that are no maps."""
    for key, value in values.items():
        if value and isinstance(value, dict):
            yield from leaves(value, *above, key)
        else:
            yield (*above, key)


def without(values: dict[str, Any], key: str, *below: str) -> dict[str, Any]:
    """The values without the key at a path."""
    if below:
        return {**values, key: without(values[key], *below)}
    return {name: value for name, value in values.items() if name != key}


def test_beside_a_doubtful_key_only_what_holds_without_it_is_said(chart: HelmChart) -> None:
    """Whatever rules say beside it, they say as well of the value that is there, and where the key is not set."""
    for values in together(chart):
        seen = environment(chart, values)
        all_broken, said = set(rules.check(chart.rules, seen)), set[str]()
        for path in leaves(values):
            beside = set(doubt.check_beside([path], chart.rules, seen))
            assert beside <= all_broken
            unset = environment(chart, without(values, *path))
            if not validate.schema_faults(dict(unset.values), chart.schema()):
                assert beside <= set(rules.check(chart.rules, unset)), path
            said |= beside
        # Each is said beside faults that it has nothing to do with, wherever there is another key.
        assert said == all_broken or len(list(leaves(values))) < 5


def test_helm_and_validate_refuse_them_in_the_same_words(chart: HelmChart, written_chart: Path, tmp_path: Path) -> None:
    """Every rule, many of them in one call, since all that are broken are named at once."""
    file, tried = tmp_path / "values.yaml", set[int]()
    for number, values in enumerate(together(chart)):
        file.write_text(yaml_io.dump(values), encoding="utf-8")
        found = broken(chart, environment(chart, values))
        by_helm = faults(helm_template(written_chart, file).stderr)
        assert by_helm == {it for sentences in found.values() for it in sentences}
        tried |= set(found)
        # A call of the command makes the chart anew: one of each kind of engine and mode is enough.
        if number < 4:
            told = json.loads(rlinf_eks("validate", "-f", file, "--name", "rel", "--json").stdout)["faults"]
            assert {fault["message"] for fault in told} == by_helm
            assert all(fault["keys"] for fault in told)
    assert tried == set(range(len(chart.rules)))
