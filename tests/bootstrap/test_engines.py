"""How an engine starts: its program, what the cluster determines, and what the user says."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from rlinf_runtime.bootstrap import attempt, run_config
from rlinf_runtime.bootstrap.engines.launch import launch


@pytest.fixture
def start(run_tree):
    """Starts an engine: `start(hydra, name="verl", environ={}, **engine keys)`."""

    def resolve(hydra, *, name="native", nodes=None, environ=None, **engine):
        tree = {**run_tree, "engine": {**run_tree["engine"], "name": name, "hydra": hydra, **engine}}
        config = run_config.from_json(json.dumps(tree | ({"nodes": nodes} if nodes else {}))).config
        return launch(config, attempt.preview(config), environ or {})

    return resolve


def test_the_native_engine_gets_the_cluster_and_the_users_keys(start, run_tree):
    """In the order of the keys, as people look them up."""
    assert start({"data": {"train_batch_size": 16}}).command == (
        "python3",
        "-u",
        "-m",
        "rlinf_runtime.trainer",
        "data.train_batch_size=16",
        f"trainer.default_local_dir={run_tree['folder']}",
        "trainer.experiment_name=rlinf",
        "trainer.n_gpus_per_node=0",
        "trainer.nnodes=2",
        "trainer.project_name=rlinf",
    )


def test_the_users_value_for_a_derived_key_wins(start):
    """Also when it is written with Hydra's `++`, when it is null, and when it takes the key away."""
    hydra = {
        "trainer": {"nnodes": 1, "project_name": "null"},
        "++trainer": {"experiment_name": "x"},
        "~trainer": {"default_local_dir": ""},
    }
    assert start(hydra).overrides == (
        "~trainer.default_local_dir",
        "++trainer.experiment_name=x",
        "trainer.n_gpus_per_node=0",
        "trainer.nnodes=1",
        "trainer.project_name=null",
    )


def test_a_section_of_the_users_leaves_no_key_of_ours_in_it(start):
    """An override of ours would fail on a section that is a text, or is gone."""
    model = {"model": {"path": "/models/m"}}
    offload = {"actor_rollout_ref": {**model, "ref": {"fsdp_config": "${actor_rollout_ref.actor.fsdp_config}"}}}
    found = [it for it in start(offload, name="verl").overrides if "ref.fsdp_config" in it]
    assert found == ["actor_rollout_ref.ref.fsdp_config='${actor_rollout_ref.actor.fsdp_config}'"]


def test_a_shell_does_what_the_bootstrap_does(start, tmp_path, monkeypatch):
    """The printed start gives the engine the same arguments, variables, files and folder."""
    (tmp_path / "run").mkdir()
    (tmp_path / "python3").write_text('#!/bin/sh\nprintf "%s\\0" "$PWD" "$HYDRA_FULL_ERROR" "$@" > arguments\n')
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    hydra = {"actor_rollout_ref": {"model": {"path": "/models/it's $one"}}, "+note": "a,b\n{c}"}
    started = start(hydra, name="verl", environ={"HYDRA_FULL_ERROR": "2 'x'"})

    subprocess.run(["sh", "-eu", "-c", started.to_shell()], check=True)

    said = (tmp_path / "run/arguments").read_text().split("\0")[:-1]
    assert said == [started.folder, "2 'x'", *started.command[1:]]
    [(file, text)] = started.files.items()
    assert Path(file).read_text() == text
    assert shlex.split(started.to_shell())


def test_files_are_written_whole(start, tmp_path):
    """The runtime environment is there, with nothing half-written beside it."""
    started = start({"actor_rollout_ref": {"model": {"path": "/models/m"}}}, name="verl")

    started.write_files()
    started.write_files()

    folder = tmp_path / "run/attempts/1"
    assert [file.name for file in folder.iterdir()] == ["runtime_env.json"]
    assert json.loads((folder / "runtime_env.json").read_text())["excludes"] == ["*"]
