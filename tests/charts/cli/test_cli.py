"""The command line, as a user types it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rlinf_constructs.helm import yaml_io
from tests_support import ROOT


def rlinf_eks(*arguments: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run `rlinf-eks` in the checkout."""
    command = ["rlinf-eks", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **environ}, timeout=60
    )


def files_of(folder: Path) -> dict[Path, bytes]:
    """Content by path."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_help_lists_the_commands() -> None:
    """`--help` explains each command."""
    printed = rlinf_eks("--help").stdout
    for command in ("synth", "render", "local"):
        assert command in printed


def test_render_prints_objects_in_the_order_of_installation() -> None:
    """What closes the network and the account before the pods, with name and namespace as asked."""
    done = rlinf_eks("render", "-f", "values/smoke.yaml", "--name", "demo", "--namespace", "robots")

    objects = yaml_io.load_all(done.stdout)
    assert done.returncode == 0
    kinds = ["NetworkPolicy", "PodDisruptionBudget", "ServiceAccount", "Secret", "ConfigMap", "ConfigMap"]
    assert [item["kind"] for item in objects][:6] == kinds
    assert "demo-rlinf-0.demo-rlinf-nodes.robots.svc" in done.stdout


def test_render_prints_what_kubectl_can_apply() -> None:
    """Every object names its namespace, and hooks such as the test pod are left out."""
    objects = yaml_io.load_all(rlinf_eks("render", "--namespace", "robots").stdout)

    assert {item["metadata"]["namespace"] for item in objects} == {"robots"}
    assert "Pod" not in {item["kind"] for item in objects}


def test_render_names_a_namespace_where_there_is_one(tmp_path: Path) -> None:
    """The kinds of Kubernetes itself that have none: those for which its API has no path within a namespace."""
    kinds = [
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
        ("scheduling.k8s.io/v1", "PriorityClass"),
        ("storage.k8s.io/v1", "StorageClass"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("node.k8s.io/v1", "RuntimeClass"),
        ("v1", "Namespace"),
        ("v1", "PersistentVolume"),
    ]
    ours = [{"apiVersion": version, "kind": kind, "metadata": {"name": "team"}} for version, kind in kinds]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "team"}}
    file = tmp_path / "objects.yaml"
    file.write_text(yaml_io.dump({"extraObjects": [*ours, role]}))

    objects = yaml_io.load_all(rlinf_eks("render", "--namespace", "robots", "-f", file).stdout)

    named = {item["kind"]: item["metadata"].get("namespace") for item in objects if item["metadata"]["name"] == "team"}
    assert named == {**{kind: None for _, kind in kinds}, "Role": "robots"}


@pytest.mark.parametrize("command", ["validate", "render", "diff", "plan", "local"])
def test_commands_on_values_take_a_teams_own_constructs(command: str) -> None:
    """`--app` is read by every command that renders the chart; what cannot be found is wrong usage."""
    done = rlinf_eks(command, "--app", "nowhere:Nothing")

    assert done.returncode == 2
    assert "nowhere:Nothing: there is no module nowhere, here or installed" in done.stderr


@pytest.mark.parametrize("command", [["render"], ["synth", "--output", "OUTPUT"]], ids=lambda command: command[0])
def test_no_system_node_is_needed(command: list[str], tmp_path: Path) -> None:
    """With nothing on PATH, jsii runs on the Node from PyPI."""
    words = [str(tmp_path / "chart") if word == "OUTPUT" else word for word in command]
    program = shutil.which("rlinf-eks")
    assert program is not None
    done = subprocess.run(
        [sys.executable, program, *words],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(tmp_path)},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_synth_never_replaces_another_chart(tmp_path: Path) -> None:
    """A folder with anything that is not this chart's is left alone."""
    (tmp_path / "Chart.yaml").write_text("name: theirs\n")
    (tmp_path / "work.txt").write_text("dear")

    done = rlinf_eks("synth", "--output", tmp_path)

    assert done.returncode == 1
    assert "holds something else than the chart rlinf" in done.stderr
    assert (tmp_path / "work.txt").read_text() == "dear"


def test_the_last_value_wins(tmp_path: Path) -> None:
    """`--set` over the second file over the first."""
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("nodes: {count: 4, gpus: 1}\nray: {port: 7000}\n")
    second.write_text("nodes: {count: 8}\n")

    done = rlinf_eks("render", "-f", first, "-f", second, "--set", "ray.port=7001,nodes.sharedMemory=2Gi")

    [stateful_set] = [item for item in yaml_io.load_all(done.stdout) if item["kind"] == "StatefulSet"]
    assert stateful_set["spec"]["replicas"] == 8
    assert '"gpus": 1' in done.stdout
    assert '"port": 7001' in done.stdout
    assert "sizeLimit: 2Gi" in done.stdout


def test_render_prints_how_the_engine_is_started() -> None:
    """The bootstrap's own words for these values, with the places of the pod."""
    done = rlinf_eks("render", "--launch", "-f", "values/h100.yaml", "--set", "tracking.wandb.enabled=true")

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "export PYTHONPATH=/workspace:/opt/rlinf" in lines
    assert "cd /fsx/default/rlinf" in lines
    assert "python3 -u -m launch.patches.drive verl.trainer.main_ppo \\" in lines
    assert "  'trainer.logger=[console,wandb]' \\" in lines
    assert "  trainer.n_gpus_per_node=8 \\" in lines


def test_what_the_bootstrap_refuses_is_told_before_there_is_a_pod() -> None:
    """In its own sentence."""
    done = rlinf_eks(
        *("render", "--launch", "-f", "values/h100.yaml", "-f", "values/rlinf.yaml"),
        *("--set", "training.hydra.actor_rollout_ref.actor.optim.lrr=4"),
    )
    assert done.returncode == 1
    assert "training.hydra.actor_rollout_ref.actor.optim.lrr has no counterpart in RLinf (did you mean " in done.stderr


def test_two_renderings_have_two_tokens() -> None:
    """The token is random: nobody's default."""
    tokens = {
        item["data"]["auth_token"]
        for _ in range(2)
        for item in yaml_io.load_all(rlinf_eks("render").stdout)
        if item["kind"] == "Secret"
    }
    assert len(tokens) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["render", "-f", "none.yaml"], "none.yaml: cannot be read: No such file or directory"),
        (["render", "--set", "nodes.count"], "--set nodes.count: nodes.count has no value: write KEY=VALUE"),
        (
            ["render", "--set", "mode=pods"],
            "- at '/mode': value must be one of 'statefulset', 'job', 'raycluster', 'rayjob'",
        ),
        (["render", "--set", "nodes.cuont=2"], "did you mean nodes.count?"),
        (["render", "--name", "A_B"], "release name 'A_B': Helm allows lower-case letters, digits, '-' and '.'"),
        (["synth", "--output", "docs"], "docs holds something else than the chart rlinf: name a new or empty folder"),
    ],
    ids=lambda argument: " ".join(argument) if isinstance(argument, list) else "",
)
def test_refusals_say_what_to_do(arguments: list[str], sentence: str) -> None:
    """One sentence on stderr, exit code 1, and no traceback."""
    done = rlinf_eks(*arguments)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_synth_gives_the_same_bytes_in_another_place_and_language(tmp_path: Path) -> None:
    """dist/chart is what anyone's synth gives, whatever the locale and the order of hashes."""
    done = rlinf_eks("synth", "--output", tmp_path / "chart", LC_ALL="tr_TR.UTF-8", PYTHONHASHSEED="7", TZ="Asia/Tokyo")

    assert done.returncode == 0
    assert files_of(tmp_path / "chart") == files_of(ROOT / "dist" / "chart")
