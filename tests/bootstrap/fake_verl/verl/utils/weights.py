"""Weights as Hugging Face lays them out: safetensors shards, an index that names them, and config.json."""

import json
import struct
import time
from pathlib import Path

NUM_SHARDS = 2
SHARD_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 17


def updates_in(folder):
    """How many updates the weights in a folder have seen: their first number.

    Raises:
        OSError, ValueError: a shard is missing or cut off, as when the real loader meets it.
    """
    index = json.loads((Path(folder) / "model.safetensors.index.json").read_text())
    updates = 0
    for shard in sorted(set(index["weight_map"].values())):
        data = (Path(folder) / shard).read_bytes()
        (size,) = struct.unpack_from("<Q", data)
        if len(data) != 8 + size + SHARD_BYTES:
            raise ValueError(f"{shard} is incomplete")
        (updates,) = struct.unpack_from("<f", data, 8 + size)
    return int(updates)


def save(folder, updates, *, took_s=0.0):
    """Writes in the order of `save_pretrained`: config, shard after shard, the index last; no marker, no rename."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "openvla"}))
    names = [f"model-{number:05}-of-{NUM_SHARDS:05}.safetensors" for number in range(1, NUM_SHARDS + 1)]
    for number, name in enumerate(names):
        _write_shard(folder / name, f"layer.{number}", updates, pause_s=took_s / NUM_SHARDS)
    weight_map = {f"layer.{number}": name for number, name in enumerate(names)}
    index = {"metadata": {"total_size": NUM_SHARDS * SHARD_BYTES}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def _write_shard(path, tensor, updates, *, pause_s):
    layout = {tensor: {"dtype": "F32", "shape": [SHARD_BYTES // 4], "data_offsets": [0, SHARD_BYTES]}}
    header = json.dumps(layout).encode()
    values = struct.pack("<f", updates) + bytes(SHARD_BYTES - 4)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for start in range(0, SHARD_BYTES, _CHUNK_BYTES):
            file.write(values[start : start + _CHUNK_BYTES])
            file.flush()
            time.sleep(pause_s * _CHUNK_BYTES / SHARD_BYTES)


def make_model(folder, suite="libero_10"):
    """A model after supervised fine-tuning, with code of its own that lacks what this engine needs."""
    save(folder, 0)
    folder = Path(folder)
    (folder / "dataset_statistics.json").write_text(json.dumps({suite: {"action": {}}}))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "preprocessor_config.json").write_text("{}")
    (folder / "modeling_prismatic.py").write_text("class OpenVLAForActionPrediction:\n    pass\n")
    (folder / "processing_prismatic.py").write_text("class PrismaticProcessor:\n    pass\n")
