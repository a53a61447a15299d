"""What tests of several packages share: running helm, and comparing objects."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import kubernetes_validate
import yaml

from label_syntax import label_faults
from monitoring_crds import monitoring_faults
from ray_crds import ray_faults
from rlinf_constructs.helm import HelmChart, Release, ValuesError, yaml_io

ROOT = Path(__file__).parent.parent


def wait_until(holds: Callable[[], object], *, within_s: float = 60.0) -> None:
    """Wait until a condition holds; the time is for a hang to become a failure, no measure of speed."""
    until_s = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until_s, f"still false after {within_s:.0f} s"
        time.sleep(0.1)


def helm_template(
    chart: Path, *files: Path, release: str = "rel", namespace: str = "default", options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the real `helm template`."""
    command = ["helm", "template", release, str(chart), "--namespace", namespace, *options]
    for file in files:
        command += ["--values", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def _without_random(item: Any) -> Any:
    """A generated token differs each time; that it is there, and how long, does not."""
    data = item.get("data")
    if item["kind"] != "Secret" or not isinstance(data, dict):
        return item
    return {**item, "data": {key: len(str(value)) for key, value in data.items()}}


BothRenderings = Callable[[dict[str, Any], Path], "list[dict[str, Any]] | None"]


def both_renderings(chart: HelmChart, written: Path) -> BothRenderings:
    """A function that holds both renderings of a chart against each other on the values of a file."""

    # A function prints as its name: hypothesis would print a whole chart with each example.
    def agree(values: dict[str, Any], file: Path) -> list[dict[str, Any]] | None:
        return _assert_both_renderings_agree(chart, written, values, file)

    return agree


def _assert_both_renderings_agree(
    chart: HelmChart, written: Path, values: dict[str, Any], file: Path
) -> list[dict[str, Any]] | None:
    """Render by helm and by Python; both must give the same objects in the same order, or refuse in the same words.

    Returns:
        The objects, or None when both refused.
    """
    with ThreadPoolExecutor(max_workers=1) as beside:
        helm = beside.submit(helm_template, written, file)
        try:
            by_python, refusal = chart.render(values, Release(name="rel")), None
        except ValuesError as error:
            by_python, refusal = [], error
        by_helm = helm.result()
    if refusal is not None:
        assert by_helm.returncode != 0
        assert faults("\n".join(refusal.sentences)) == faults(by_helm.stderr)
        return None
    assert by_helm.returncode == 0, by_helm.stderr
    expected = [item for item in yaml.load_all(by_helm.stdout, Loader=_HelmOutput) if item is not None]
    assert [_title(item) for item in by_python] == [_title(item) for item in expected]
    for ours, theirs in zip(by_python, expected, strict=True):
        assert _without_random(ours) == _without_random(theirs)
    return by_python


class _HelmOutput(yaml.cyaml.CParser, yaml_io._Loader):
    """Our own loader on the parser written in C: a chart's objects are hundreds of kilobytes of text."""

    def __init__(self, stream: str) -> None:
        yaml.cyaml.CParser.__init__(self, stream)
        yaml.constructor.SafeConstructor.__init__(self)
        yaml.resolver.Resolver.__init__(self)


def _title(item: dict[str, Any]) -> tuple[str, str]:
    return item["kind"], item["metadata"]["name"]


def faults(text: str) -> set[str]:
    """The faults that a refusal names, without what helm says around them."""
    around = ("level=", "Use --debug", "values don't meet", "rlinf:", "sample:")
    return {
        line
        for line in sentences_of(text)
        if line and not line.startswith(around) and not line.endswith(("validation failed", "'allOf' failed"))
    }


def sentences_of(text: str) -> set[str]:
    """The lines of a refusal, without the indentation that helm gives to nested ones.

    Helm lists unknown keys in the random order of Go's maps.
    """
    return {
        _with_names_in_order(re.sub(r"^(Error: )?(execution error at \(.*?\): )?", "", line.strip()))
        for line in text.splitlines()
    }


def _with_names_in_order(line: str) -> str:
    match = re.fullmatch(r"(.*additional properties )(.*)( not allowed)", line)
    return line if match is None else match[1] + ", ".join(sorted(match[2].split(", "))) + match[3]


def kubernetes_faults(item: dict[str, Any]) -> list[str]:
    """What Kubernetes, or an operator for its kinds, has against an object: the schema, and the syntax of labels."""
    return [*label_faults(item), *_schema_faults(item)]


def _schema_faults(item: dict[str, Any]) -> list[str]:
    if item["apiVersion"] == "ray.io/v1":
        return ray_faults(item)
    if item["apiVersion"] == "monitoring.coreos.com/v1":
        return monitoring_faults(item)
    try:
        kubernetes_validate.validate(item, "1.34", strict=True)
    except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
        return [f"{item['kind']}/{item['metadata']['name']}: {error}"]
    return []
