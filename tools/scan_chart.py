"""Scan the rendered chart by checkov, in every mode; .checkov.yaml lists the exceptions and why each is one.

Usage: scan_chart.py CHECKOV
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
MODES = ("statefulset", "job", "raycluster", "rayjob")
# As a careful user has them: an image by its digest, on nodes with GPUs and EFA.
SETTINGS = ("image.digest=sha256:" + "0" * 64, "instance.type=p5.48xlarge", "nodes.count=2")
# A test of the release and the submitter of a job run once and end: nothing asks whether they are alive or ready.
SKIPPED_WHERE_RUN_ONCE = {f"checkov.io/skip{check}": f"CKV_K8S_{check}=it runs once and ends" for check in (8, 9)}


def rendered(mode: str) -> list[dict[str, Any]]:
    """The objects of a release in one mode, as helm renders them."""
    settings = [argument for setting in (f"mode={mode}", *SETTINGS) for argument in ("--set", setting)]
    command = ["helm", "template", "scanned", str(ROOT / "dist/chart"), "--namespace", "robots", *settings]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [item for item in yaml.safe_load_all(text) if item]


def scannable(mode: str, item: dict[str, Any]) -> dict[str, Any]:
    """The object, named after its mode; a test says what does not apply to it."""
    metadata = item["metadata"]
    metadata["name"] = f"{mode}-{metadata['name']}"
    annotations = metadata.setdefault("annotations", {})
    if annotations.get("helm.sh/hook") == "test":
        annotations |= SKIPPED_WHERE_RUN_ONCE
    return item


def pods(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The pods of KubeRay's objects, which checkov does not know."""
    spec = item.get("spec", {})
    cluster = spec.get("rayClusterSpec", spec) if item["kind"] in ("RayCluster", "RayJob") else {}
    groups = [cluster["headGroupSpec"], *cluster.get("workerGroupSpecs", [])] if cluster else []
    for number, group in enumerate(groups):
        yield pod(group["template"], name=f"{item['metadata']['name']}-{number}", annotations={})
    if "submitterPodTemplate" in spec:
        name = f"{item['metadata']['name']}-submitter"
        yield pod(spec["submitterPodTemplate"], name=name, annotations=SKIPPED_WHERE_RUN_ONCE)


def pod(template: dict[str, Any], *, name: str, annotations: dict[str, str]) -> dict[str, Any]:
    """A pod of a template."""
    metadata = {**template.get("metadata", {}), "name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def main(checkov: str) -> int:
    """Return checkov's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for mode in MODES:
            items = [scannable(mode, item) for item in rendered(mode)]
            items += [pod for item in items for pod in pods(item)]
            (Path(folder) / f"{mode}.yaml").write_text(yaml.safe_dump_all(items), encoding="utf-8")
        command = [checkov, "--directory", folder, "--config-file", str(ROOT / ".checkov.yaml")]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
