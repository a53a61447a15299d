"""`rlinf-eks validate`: every fault with its file and key, before a cluster sees anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import rlinf_eks
from team_job import team_job
from tests_support import ROOT, helm_template


def write(folder: Path, name: str, text: str) -> Path:
    """A values file."""
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("file", sorted((ROOT / "values").glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_values_are_valid(file: Path) -> None:
    """For the oldest version that we test and for newer ones."""
    done = rlinf_eks("validate", "-f", file, "--kubernetes", "1.32", "--kubernetes", "1.35")
    assert done.exit_code == 0
    assert done.stdout == "valid for Kubernetes 1.32, 1.35\n"


def test_every_fault_names_its_file_and_key(tmp_path: Path) -> None:
    """Of several files the one that gave the value, and of `--set` the assignment."""
    first = write(tmp_path, "first.yaml", "nodes: {cuont: 2}\nray: {port: 80}\n")
    second = write(tmp_path, "second.yaml", "nodes: {gpus: 99}\nray: {port: 6379}\n")

    done = rlinf_eks("validate", "-f", first, "-f", second, "--set", "mode=x")

    assert done.exit_code == 1
    lines = done.stderr.splitlines()
    assert lines[:2] == [
        "--set mode=x: mode",
        "  - at '/mode': value must be one of 'statefulset', 'job', 'raycluster', 'rayjob'",
    ]
    assert f"{first}: nodes.cuont" in lines
    assert "  - at '/nodes': additional properties 'cuont' not allowed" in lines
    assert f"{second}: nodes.gpus" in lines
    assert "  - at '/nodes/gpus': maximum: got 99, want 16" in lines
    assert "ray.port" not in done.stderr


def test_a_rule_names_the_files_that_clash_and_speaks_as_helm_does(tmp_path: Path, written_chart: Path) -> None:
    """The sentence is the one that `helm template` prints."""
    nodes = write(tmp_path, "nodes.yaml", "nodes: {count: 2}\n")
    runs = write(tmp_path, "runs.yaml", "storage: {runs: {accessMode: ReadWriteOnce}}\n")

    [fault] = json.loads(rlinf_eks("validate", "-f", nodes, "-f", runs, "--json").stdout)["faults"]

    assert fault["check"] == "rule"
    assert set(fault["places"]) == {str(nodes), str(runs)}
    assert fault["keys"][:2] == ["storage.runs.accessMode", "nodes.count"]
    assert fault["message"] in helm_template(written_chart, nodes, runs).stderr


def test_rules_are_told_beside_faults_of_the_schema(tmp_path: Path) -> None:
    """In one run, but not those that read what is at fault, or what a misspelt key may have been meant for."""
    broken = "extraVolumeMounts: [{name: nowhere, mountPath: /x}]\nstorage: {runs: {accessMode: ReadWriteOnce}}\n"
    right = write(tmp_path, "right.yaml", f"nodes: {{count: 2, gpus: 8}}\n{broken}")
    wrong = write(tmp_path, "wrong.yaml", f"nodes: {{cuont: 2, gpus: 99}}\n{broken}")

    def told(file: Path) -> list[tuple[str, str]]:
        faults = json.loads(rlinf_eks("validate", "-f", file, "--json").stdout)["faults"]
        return [(fault["check"], fault["keys"][0]) for fault in faults]

    assert told(right) == [("rule", "storage.runs.accessMode"), ("rule", "extraVolumeMounts.0.name")]
    assert told(wrong) == [
        ("schema", "nodes.cuont"),
        ("schema", "nodes.gpus"),
        ("rule", "extraVolumeMounts.0.name"),
    ]


def test_a_file_that_is_given_twice_wins_where_it_comes_last(tmp_path: Path) -> None:
    """As with helm."""
    bad, good = write(tmp_path, "bad.yaml", "mode: x\n"), write(tmp_path, "good.yaml", "mode: statefulset\n")
    assert rlinf_eks("validate", "-f", good, "-f", bad, "-f", good).exit_code == 0
    assert f"{bad}: mode" in rlinf_eks("validate", "-f", bad, "-f", good, "-f", bad).stderr


def test_all_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """One does not hide the next."""
    broken = write(tmp_path, "broken.yaml", "a: [\n")

    faults = json.loads(rlinf_eks("validate", "-f", "none.yaml", "-f", broken, "--set", "x", "--json").stdout)["faults"]

    assert [fault["places"] for fault in faults] == [["none.yaml"], [str(broken)], ["--set x"]]


def test_an_item_of_a_list_is_set_in_the_list_of_a_file(tmp_path: Path) -> None:
    """As in helm; the fault is the assignment's, and what it leaves is the file's."""
    file = write(tmp_path, "values.yaml", "scheduling: {tolerations: [{key: gpu, operator: Exist}]}\n")
    assignment = "scheduling.tolerations[0].effect=NoScheduel"

    faults = json.loads(rlinf_eks("validate", "-f", file, "--set", assignment, "--json").stdout)["faults"]

    assert [(fault["places"], fault["keys"]) for fault in faults] == [
        ([f"--set {assignment}"], ["scheduling.tolerations.0.effect"]),
        ([str(file)], ["scheduling.tolerations.0.operator"]),
    ]


def test_what_kubernetes_itself_would_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every field at fault, in a team's own object as in ours."""
    monkeypatch.chdir(tmp_path)
    app = team_job(tmp_path, "misspelt", affinity={"nodeAfinity": {}}, hostNetwork="yes")

    done = rlinf_eks("validate", "--app", app, "--kubernetes", "1.34")

    assert done.exit_code == 1
    assert "Job/mine: spec.template.spec.affinity\n" in done.stderr
    assert "Kubernetes 1.34: Additional properties are not allowed ('nodeAfinity' was unexpected)" in done.stderr
    assert "Job/mine: spec.template.spec.hostNetwork\n" in done.stderr


@pytest.mark.parametrize("mode", ["statefulset", "rayjob"])
def test_what_kubernetes_refuses_is_traced_to_the_values(mode: str, tmp_path: Path) -> None:
    """In pieces that the chart hands on, also inside of KubeRay's kinds: the key and the file that gave them."""
    file = write(
        tmp_path,
        "sidecars.yaml",
        "sidecars:\n"
        "- {name: logs, image: logs}\n"
        "- {name: metrics, image: metrics, livenessProbe: {httGet: {}}, resources: {limit: {}}}\n"
        "extraVolumes: [{name: code, configMap: {name: code, item: []}}]\n",
    )

    faults = json.loads(rlinf_eks("validate", "-f", file, "--set", f"mode={mode}", "--json").stdout)["faults"]

    assert {hint for fault in faults for hint in fault["hints"]} == {
        f"it comes from {key} ({file})"
        for key in ("sidecars.1.livenessProbe", "sidecars.1.resources", "extraVolumes.0.configMap")
    }


def test_the_nearest_choice_and_what_a_text_means(tmp_path: Path) -> None:
    """What helm's own words leave open follows them."""
    file = write(
        tmp_path,
        "values.yaml",
        "scheduling: {tolerations: [{key: gpu, operator: exists}]}\ndashboard: {ingress: {host: https://ray}}\n",
    )

    done = rlinf_eks("validate", "-f", file)

    assert "  scheduling.tolerations.0.operator is exists: did you mean Exists?\n" in done.stderr
    assert "  dashboard.ingress.host: Host name, such as ray.team.internal.\n" in done.stderr


def test_a_machine_that_is_not_listed_and_keys_that_other_charts_have_elsewhere() -> None:
    """No other machine is guessed; a key that this chart has in another section is named with it."""
    done = rlinf_eks("validate", "--set", "instance.type=m7i.4xlarge,tolerations={},hydra.data.n_samples=8")

    assert (
        "  instance.type: for a machine that is not listed leave it unset, and set nodes.gpus, nodes.resources and "
        "scheduling.nodeSelector\n"
    ) in done.stderr
    assert "; did you mean scheduling.tolerations?\n" in done.stderr
    assert "; did you mean training.hydra?\n" in done.stderr


def test_a_pod_that_no_node_has_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would stay Pending; the cluster would not say so at the install."""
    monkeypatch.chdir(tmp_path)
    limits = {"limits": {"nvidia.com/gpu": 16}}
    selector = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    app = team_job(
        tmp_path, "large", containers=[{"name": "it", "image": "it", "resources": limits}], nodeSelector=selector
    )

    done = rlinf_eks("validate", "--app", app)

    assert done.exit_code == 1
    assert done.stderr == (
        "Job/mine: spec.template.spec.containers\n"
        "  a pod asks for 16 nvidia.com/gpu, and a node of type p5.48xlarge has 8: it would stay Pending for ever; "
        "ask for no more than that\n"
    )


@pytest.mark.parametrize("version", ["1.28", "1.3", "2.0", "newest"])
def test_a_version_of_kubernetes_that_the_chart_does_not_run_on(version: str) -> None:
    """Nor one that nobody has schemas of: wrong usage, with those that are allowed."""
    done = rlinf_eks("validate", "--kubernetes", version)
    assert done.exit_code == 2
    assert f"{version}: the chart runs on Kubernetes 1.30 and newer" in done.stderr
    assert "; allowed are 1.30, 1.31, " in done.stderr


def test_a_version_may_be_written_as_kubectl_shows_it() -> None:
    """Schemas are of minor versions."""
    done = rlinf_eks("validate", "--kubernetes", "v1.32.9-eks-113cf36", "--kubernetes", "1.33.1")
    assert done.stdout == "valid for Kubernetes 1.32, 1.33\n"


def test_quotes_and_patterns_are_explained(tmp_path: Path) -> None:
    """Most wrong types are quotes, missing or too many; a pattern alone says nothing to most people."""
    file = write(
        tmp_path,
        "values.yaml",
        'image: {tag: 1.10}\nnodes: {count: "2"}\nextraEnv: {DEBUG: true}\nstorage: {runs: {size: 1TB}}\n'
        "extraObjects: [{kind: ConfigMap, metadata: {name: mine}}]\n",
    )

    done = rlinf_eks("validate", "-f", file)

    for hint in (
        "image.tag: write it in quotes, or by --set-string: without them it is the number 1.1",
        "nodes.count: write it without quotes: 2",
        "extraEnv.DEBUG: write it in quotes, or by --set-string: without them it is true",
        "storage.runs.size: allowed is a number and a unit of k, M, G, T, P or Ki, Mi, Gi, Ti, Pi, such as 200Gi",
        "extraObjects.0.apiVersion: Its API group and version.",
    ):
        assert f"  {hint}" in done.stderr


def test_what_a_value_should_have_been(tmp_path: Path) -> None:
    """A map, a list, other letters: in words, where helm names a type or a pattern only."""
    file = write(
        tmp_path,
        "values.yaml",
        "image: rlinf:1.0\nscheduling: {tolerations: {key: gpu}, nodeSelector: [a]}\npreflight: {skip: gpus}\n"
        "networkPolicy: {dashboardFrom: 10.0.0.0/8}\ncommonLabels: {my label: x}\nnodes.count: 2\n"
        "storage: {s3: {My_Bucket: {bucket: b}}}\nextraEnv: {A: null}\npodMonitor: {interval: 30}\n"
        "training: {engine: verl, hydra: {data: {rubbish: 1}}}\n",
    )

    hints = rlinf_eks("validate", "-f", file).stderr

    for hint in (
        "image: write a map, with keys of repository, tag, digest, pullPolicy, pullSecrets",
        "scheduling.tolerations: write a list of such maps, each behind a dash",
        "scheduling.nodeSelector: write a map, as in {KEY: VALUE}",
        'preflight.skip: write a list, as in ["gpus"]',
        "networkPolicy.dashboardFrom: write a list\n",
        "commonLabels.my label: allowed as a key of commonLabels is letters, digits, hyphens, ",
        "nodes.count: dots of a file's key lead nowhere; write nodes: {count: ...}",
        "storage.s3.My_Bucket: allowed as a key of storage.s3 is at most 40 lower-case letters, ",
        "extraEnv.A: null is no value here: leave the key out",
        "podMonitor.interval: ",
    ):
        assert f"  {hint}" in hints
    assert " and any with Hydra's + or ~ in front\n" in hints


def test_a_fault_is_told_once(tmp_path: Path) -> None:
    """Also where the schemas of a key and of the engine's keys both have it."""
    file = write(tmp_path, "values.yaml", "training: {engine: verl, hydra: {data: x}}\n")
    assert rlinf_eks("validate", "-f", file).stderr.count("- at '/training/hydra/data': ") == 1


def test_examples_in_a_sentence_are_no_keys(tmp_path: Path) -> None:
    """A host name may begin like a section of the values."""
    file = write(tmp_path, "values.yaml", "dashboard: {ingress: {enabled: true}}\n")
    faults = json.loads(rlinf_eks("validate", "-f", file, "--json").stdout)["faults"]
    assert any("for example to ray.team.internal" in fault["message"] for fault in faults)
    assert not any("ray.team.internal" in fault["keys"] for fault in faults)


def test_quotes_are_not_blamed_for_a_wrong_number(tmp_path: Path) -> None:
    """What no quotes would mend gets no such hint, whichever way it is written."""
    file = write(tmp_path, "values.yaml", 'nodes: {count: 2.5, gpus: "2.5"}\nray: {port: "many"}\n')

    done = rlinf_eks("validate", "-f", file)

    assert done.stderr.count("want integer") == 3
    assert "write it" not in done.stderr
