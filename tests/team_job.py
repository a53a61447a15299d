"""A team's extension, for `--app`, that adds a Job with a pod as a test wants it."""

from __future__ import annotations

from pathlib import Path

_TEXT = """
import cdk8s

def add(objects, values):
    job = cdk8s.ApiObject(objects, "Mine", api_version="batch/v1", kind="Job", metadata={{"name": "mine"}})
    job.add_json_patch(cdk8s.JsonPatch.add("/spec", {spec}))
"""


def team_job(folder: Path, name: str, **spec: object) -> str:
    """Write the module, whose name no other test may take; the folder must be the current one."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "it", "image": "it"}], **spec}
    (folder / f"{name}.py").write_text(_TEXT.format(spec={"template": {"spec": pod}}))
    return f"{name}:add"
