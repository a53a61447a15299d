"""Variants: another name, other defaults, and a team's own constructs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cdk8s
import pytest
from cdk8s_plus_35 import k8s

from command_line import rlinf_eks
from rlinf_charts.chart import rlinf_chart
from rlinf_charts.variant import Extension, Variant, VariantError, load_extension
from rlinf_constructs import helm
from rlinf_constructs.helm import HelmChart, Release, Rule, ValuesError, yaml_io
from rlinf_constructs.platform.pods import add_container, add_volume
from tests_support import ROOT, both_renderings, helm_template, kubernetes_faults

EXAMPLES = ROOT / "docs" / "examples"


def containers_by_object(objects: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Names of containers by the kind and name of the object that makes their pods."""
    pods = {f"{it['kind']}/{it['metadata']['name']}": it["spec"].get("template", it) for it in objects if "spec" in it}
    return {
        name: [container["name"] for container in pod["spec"]["containers"]]
        for name, pod in pods.items()
        if "containers" in pod.get("spec", {})
    }


@pytest.fixture(scope="module")
def team_chart() -> HelmChart:
    """The example of the guide."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(EXAMPLES)
        extension = load_extension("team_chart:TeamChart")
    return rlinf_chart(Variant(name="team-rlinf", version="1.0.0", extension=extension))


def test_a_plain_variant_is_the_chart(chart: HelmChart) -> None:
    """Byte for byte."""
    assert rlinf_chart(Variant()).texts() == chart.texts()


def test_new_defaults_are_what_values_would_have_been(written_chart: Path, tmp_path: Path) -> None:
    """Helm gives the same objects for the variant alone as for the plain chart with the values file."""
    file = tmp_path / "team.yaml"
    file.write_text("nodes: {count: 2}\nextraEnv: {A: b}\ntraining: {hydra: {data: {n_samples: 4}}}\n")
    assert rlinf_eks("synth", "-f", file, "--output", tmp_path / "chart").exit_code == 0

    options = ("--set", "ray.auth.existingSecret=mine")
    variant = helm_template(tmp_path / "chart", options=options)
    plain = helm_template(written_chart, file, options=options)

    assert variant.stdout == plain.stdout
    assert "    data:\n      n_samples: 4\n" in (tmp_path / "chart" / "values.yaml").read_text()
    assert "| `nodes.count` | integer, at least 1, at most 1000 | `2` |" in (tmp_path / "chart/README.md").read_text()


def test_another_name_and_version_reach_the_objects(tmp_path: Path) -> None:
    """Chart.yaml, the names of objects and their labels."""
    chart = rlinf_chart(Variant(name="team-rl", version="2.1.0-rc.1"))
    chart.write(tmp_path)

    [account] = [it for it in yaml_io.load_all(helm_template(tmp_path).stdout) if it and it["kind"] == "ServiceAccount"]
    assert account["metadata"]["name"] == "rel-team-rl"
    assert account["metadata"]["labels"]["helm.sh/chart"] == "team-rl-2.1.0-rc.1"


@pytest.mark.parametrize(
    ("name", "version", "label"),
    [
        ("team-rl", "1.4.0+build.5", "team-rl-1.4.0_build.5"),
        ("t" * 50, "1.4.0-rc.1.of.a.branch", f"{'t' * 50}-1.4.0-rc.1.o"),
        ("t" * 51, "1.4.0-rc.12.3", f"{'t' * 51}-1.4.0-rc.12"),
    ],
    ids=["build", "cut", "cut before a dot"],
)
def test_every_version_makes_a_label(name: str, version: str, label: str, tmp_path: Path) -> None:
    """Kubernetes allows neither a plus sign nor more than 63 characters, nor a dot at the end."""
    chart = rlinf_chart(Variant(name=name, version=version))
    chart.write(tmp_path)

    objects = [it for it in yaml_io.load_all(helm_template(tmp_path).stdout) if it]
    assert {it["metadata"]["labels"]["helm.sh/chart"] for it in objects} == {label}
    assert [fault for it in objects for fault in kubernetes_faults(it)] == []
    assert {it["metadata"]["labels"]["helm.sh/chart"] for it in chart.render({}, Release(name="rel"))} == {label}


def test_the_readme_names_what_a_variants_users_have() -> None:
    """Its commands are true for a release that is named after the chart: the pod that they follow is there."""
    chart = rlinf_chart(Variant(name="team-rl"))
    readme = chart.texts()["README.md"]
    [nodes] = [it for it in chart.render({}, Release(name="team-rl", namespace="a")) if it["kind"] == "StatefulSet"]

    assert readme.startswith("# team-rl\n")
    assert "helm install team-rl CHART" in readme
    assert f"kubectl logs --follow {nodes['metadata']['name']}-0\n" in readme


@pytest.mark.parametrize("text", ["{}\n", "rayLogs: {enabled: false}\n", "rayLogs: {host: 'a: b', image: it}\n"])
def test_the_law_holds_for_the_example(text: str, team_chart: HelmChart, tmp_path: Path) -> None:
    """Both renderings agree, and Kubernetes takes the objects."""
    file = tmp_path / "values.yaml"
    file.write_text(text)
    team_chart.write(tmp_path / "chart")

    objects = both_renderings(team_chart, tmp_path / "chart")(yaml_io.load(text), file)

    assert objects is not None
    assert [fault for item in objects for fault in kubernetes_faults(item)] == []


def test_the_sidecar_is_in_every_training_pod_and_not_in_the_test(team_chart: HelmChart) -> None:
    """It would keep the test's pod from ending; and a value takes it away."""
    assert containers_by_object(team_chart.render({}, Release(name="rel"))) == {
        "StatefulSet/rel-team-rlinf": ["trainer", "ray-logs"],
        "Pod/rel-team-rlinf-test": ["trainer"],
    }
    [stateful_set] = [it for it in team_chart.render({}, Release(name="rel")) if it["kind"] == "StatefulSet"]
    spec = stateful_set["spec"]["template"]["spec"]
    mounted = {mount["name"] for container in spec["containers"] for mount in container["volumeMounts"]}
    assert mounted <= {volume["name"] for volume in spec["volumes"]}
    without = team_chart.render({"rayLogs": {"enabled": False}}, Release(name="rel"))
    assert containers_by_object(without)["StatefulSet/rel-team-rlinf"] == ["trainer"]


def test_the_teams_keys_are_checked_like_ours(team_chart: HelmChart) -> None:
    """Schema, comment and reference come from the team's model."""
    with pytest.raises(ValuesError, match="at '/rayLogs/enabled': got string, want boolean"):
        team_chart.render({"rayLogs": {"enabled": "yes"}}, Release(name="rel"))
    assert "  # Send Ray's logs to the team's log store.\n  enabled: true\n" in team_chart.texts()["values.yaml"]
    assert "`rayLogs.host`" in team_chart.texts()["README.md"]


def test_additions_reach_pods_of_every_kind() -> None:
    """Wherever a kind keeps its pod templates, those of operators too."""
    objects = cdk8s.Chart(cdk8s.App(record_construct_metadata=False), "it")
    pod = {"spec": {"containers": [{"name": "main"}], "volumes": [{"name": "tmp", "emptyDir": {}}]}}
    spec = {"headGroupSpec": {"template": pod}, "workerGroupSpecs": [{"template": pod}]}
    cdk8s.ApiObject(objects, "Ray", api_version="ray.io/v1", kind="RayCluster").add_json_patch(
        cdk8s.JsonPatch.add("/spec", spec)
    )

    add_container(objects, k8s.Container(name="side"))
    add_volume(objects, k8s.Volume(name="data", empty_dir=k8s.EmptyDirVolumeSource(medium="Memory")))

    [cluster] = objects.to_json()
    for template in (cluster["spec"]["headGroupSpec"], cluster["spec"]["workerGroupSpecs"][0]):
        assert [it["name"] for it in template["template"]["spec"]["containers"]] == ["main", "side"]
        assert template["template"]["spec"]["volumes"][-1] == {"name": "data", "emptyDir": {"medium": "Memory"}}


def test_a_function_is_enough_and_rules_may_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without keys of one's own there need be no class."""
    (tmp_path / "small_team.py").write_text(
        "import cdk8s\n"
        "def add(objects, values):\n"
        "    cdk8s.ApiObject(objects, 'Extra', api_version='v1', kind='ConfigMap', metadata={'name': 'extra'})\n"
    )
    monkeypatch.chdir(tmp_path)

    chart = rlinf_chart(Variant(extension=load_extension("small_team:add")))

    assert "extra" in {item["metadata"]["name"] for item in chart.render({}, Release(name="rel"))}


def test_rules_of_a_team_are_refused_by_helm_too(tmp_path: Path) -> None:
    """In the same words."""

    class Small(Extension):
        def rules(self, values: Any) -> list[Rule]:
            return [Rule(broken=values.nodes.count > 4, message=helm.fmt("nodes.count is ", values.nodes.count, ": 4"))]

    chart = rlinf_chart(Variant(extension=Small()))
    chart.write(tmp_path / "chart")
    file = tmp_path / "values.yaml"
    file.write_text("nodes: {count: 8}\n")

    assert both_renderings(chart, tmp_path / "chart")({"nodes": {"count": 8}}, file) is None
    assert "nodes.count is 8: 4" in helm_template(tmp_path / "chart", file).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--chart-name", "Team"], "chart name Team: write lower-case letters, digits and dashes, as in team-rlinf"),
        (
            ["--chart-version", "1.0"],
            "chart version 1.0 is not a semantic version: write MAJOR.MINOR.PATCH, as in 1.4.0",
        ),
        (["--app", "team_chart"], "team_chart: write MODULE:NAME, as in team_chart:TeamChart"),
        (["--app", "nowhere:It"], "nowhere:It: there is no module nowhere, here or installed"),
        (["--app", "json:JSONDecoder"], "the module json has no JSONDecoder that is a subclass of"),
    ],
    ids=["name", "version", "no name", "no module", "another class"],
)
def test_what_is_no_variant(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    """Wrong usage, said in one sentence."""
    done = rlinf_eks("synth", "--output", tmp_path / "chart", *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_defaults_that_the_chart_refuses(tmp_path: Path) -> None:
    """Nobody could install such a chart without values."""
    done = rlinf_eks("synth", "--output", tmp_path / "chart", "--set", "nodes.cuont=2")
    assert done.exit_code == 1
    assert "these cannot be the chart's defaults: values don't meet the specifications" in done.stderr
    assert "did you mean nodes.count?" in done.stderr


def test_the_error_is_one_for_all() -> None:
    """For programs that make variants themselves."""
    with pytest.raises(VariantError):
        Variant(name="-")
