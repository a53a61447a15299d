"""Constructs without our values: a platform team gives literals, and gets plain Kubernetes objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cdk8s
from pydantic import BaseModel, Field

from rlinf_constructs import helm
from rlinf_constructs.platform.devices import device_limits
from rlinf_constructs.platform.network import HeadlessService, HeadlessServiceProps
from rlinf_constructs.platform.storage import Claim, ClaimProps
from tests_support import kubernetes_faults


class TeamValues(BaseModel):
    """What a team's own chart lets its users choose."""

    size: str = Field(default="1Gi", alias="size", description="Size of the claim.")
    devices: int = Field(default=0, alias="devices", description="EFA devices.")


values = helm.ValuesRef(TeamValues)


def team_chart(build: Any) -> helm.HelmChart:
    """A chart with whatever build adds to it."""
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "team")
    build(objects)
    metadata = {"apiVersion": "v2", "name": "team", "version": "1.0.0", "appVersion": "1.0.0"}
    return helm.HelmChart(metadata=metadata, values=TeamValues, header="Values.", objects=objects)


def rendered(chart: helm.HelmChart, given: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The plain objects."""
    return chart.render(given or {}, helm.Release(name="rel"))


def add_service(scope: cdk8s.Chart) -> None:
    """A headless Service from literals."""
    props = HeadlessServiceProps(name="nodes", labels={"team": "arm"}, selector={"app": "training"})
    HeadlessService(scope, "Nodes", props)


def add_claim(scope: cdk8s.Chart) -> None:
    """A claim whose size is a value and whose class is a literal."""
    props = ClaimProps(
        name="runs", labels={}, size=values.size, access_mode="ReadWriteMany", storage_class="fsx", volume="vol"
    )
    Claim(scope, "Runs", props)


def test_literals_give_a_plain_object() -> None:
    """No expression, no template: the object is what Kubernetes expects."""
    [service] = rendered(team_chart(add_service))

    assert service["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"app": "training"},
    }
    assert kubernetes_faults(service) == []


def test_literals_and_values_mix() -> None:
    """One prop may be a literal and the next one an expression over the team's own values."""
    chart = team_chart(add_claim)
    [claim] = rendered(chart, {"size": "5Gi"})

    assert claim["spec"]["resources"] == {"requests": {"storage": "5Gi"}}
    assert claim["spec"]["storageClassName"] == "fsx"
    assert "storage: {{ .Values.size | quote }}" in chart.texts()["templates/runs.yaml"]


def test_devices_from_literals() -> None:
    """Zero asks for none."""
    assert device_limits(gpus=0, efa_devices=0) == {}
    assert device_limits(gpus=8, efa_devices=32) == {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}


def test_writing_replaces_the_folder(tmp_path: Path) -> None:
    """A template that is no longer made does not stay behind."""
    team_chart(add_claim).write(tmp_path)
    team_chart(add_service).write(tmp_path)

    assert not (tmp_path / "templates" / "runs.yaml").exists()
    assert (tmp_path / "templates" / "nodes.yaml").exists()
