"""A model folder is whole when every file is there and as long as it says itself."""

import json
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

from rlinf_runtime.bootstrap.staging import weights
from verl_runs import weights as fake_weights


@pytest.fixture
def folder(tmp_path):
    fake_weights.save(tmp_path / "m", 3)
    return tmp_path / "m"


SHARD = "model-00002-of-00002.safetensors"


def test_what_the_real_library_writes_is_whole(tmp_path):
    """Also without an index, and with metadata and an empty tensor in the header."""
    tensors = {"a": np.ones((3, 5), dtype="float32"), "empty": np.ones((0,)), "b": np.ones(7, dtype="int8")}
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    (tmp_path / "config.json").write_text("{}")
    weights.check(tmp_path)


def test_a_whole_folder_passes(folder):
    """Two shards and their index."""
    weights.check(folder)
    assert [path.name for path in weights.shards(folder)] == ["model-00001-of-00002.safetensors", SHARD]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 30, 100, 1 << 20])
def test_a_shard_that_is_cut_off_anywhere_is_found(folder, size):
    """Within its length, its header or its data."""
    content = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(content[:size])
    with pytest.raises(weights.IncompleteError, match=SHARD):
        weights.check(folder)


def test_a_shard_of_zeros_is_found(folder):
    """As a file system leaves it after a crash: the size is right, the content is not there."""
    (folder / SHARD).write_bytes(bytes((folder / SHARD).stat().st_size))
    with pytest.raises(weights.IncompleteError, match="has no whole safetensors header"):
        weights.check(folder)


def test_a_header_of_absurd_length_is_not_read(folder):
    """Random bytes claim exabytes."""
    (folder / SHARD).write_bytes(struct.pack("<Q", 1 << 62) + b"{}")
    with pytest.raises(weights.IncompleteError, match="has no whole safetensors header"):
        weights.check(folder)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("config.json", None, "config.json is not there"),
        ("config.json", "", "config.json is no JSON"),
        ("config.json", "[]", "config.json holds no object"),
        ("model.safetensors.index.json", '{"weight_map": {"a"', "model.safetensors.index.json is no JSON"),
        ("model.safetensors.index.json", "{}", "model.safetensors.index.json has no weight_map"),
        ("model.safetensors.index.json", None, "none of model.safetensors.index.json, .* is there"),
        (SHARD, None, f"{SHARD} is not there"),
    ],
)
def test_a_missing_or_broken_file_is_named(folder, name, content, sentence):
    """One sentence for the first thing that is wrong."""
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content)
    with pytest.raises(weights.IncompleteError, match=sentence):
        weights.check(folder)


def test_other_weights_must_not_be_empty(tmp_path):
    """A .bin file says nothing of its length."""
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"a": "pytorch_model-1.bin"}}))
    (tmp_path / "pytorch_model-1.bin").write_text("")
    with pytest.raises(weights.IncompleteError, match=r"pytorch_model-1\.bin is empty"):
        weights.check(tmp_path)
