"""Runs and model folders as the checks meet them, whole until a test breaks them."""

import copy
import json
import struct

import pytest

from rlinf_runtime.bootstrap import run_config

SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


@pytest.fixture
def config_of(run_tree, tmp_path):
    """A run's configuration: `config_of(engine, hydra, gpus=..., efa_devices=...)`; its folder is there."""
    (tmp_path / "run").mkdir()

    def make(engine="verl", hydra=None, *, code="", gpus=0, efa_devices=0, **preflight):
        tree = copy.deepcopy(run_tree)
        tree["engine"].update(name=engine, code=code, hydra=hydra or {})
        tree["nodes"] = {"count": 1, "gpus": gpus, "efa_devices": efa_devices}
        tree["preflight"].update(preflight)
        return run_config.from_json(json.dumps(tree)).config

    return make


@pytest.fixture
def model(tmp_path):
    """A complete model folder of two shards, with the statistics of libero_10."""
    folder = tmp_path / "openvla"
    folder.mkdir()
    (folder / "config.json").write_text('{"torch_dtype": "bfloat16"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "dataset_statistics.json").write_text('{"libero_10_no_noops": {}}')
    index = {"weight_map": {f"layer.{number}": name for number, name in enumerate(SHARDS)}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    for name in SHARDS:
        (folder / name).write_bytes(safetensors(1000))
    return folder


@pytest.fixture
def hydra_of():
    """The user's keys that name a model: `hydra_of(folder)`."""
    return lambda folder: {"actor_rollout_ref": {"model": {"path": str(folder)}}}


@pytest.fixture
def program(tmp_path):
    """Puts a shell script on a PATH of its own: `program(name, text)` returns the environment that finds it."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def write(name, text):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
        return {"PATH": f"{folder}:/usr/bin:/bin"}

    return write


def safetensors(num_bytes):
    """A file of one tensor."""
    header = json.dumps({"layer": {"dtype": "U8", "shape": [num_bytes], "data_offsets": [0, num_bytes]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(num_bytes)
