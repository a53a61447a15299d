"""Whether a folder holds a whole Hugging Face model: a kill or a full disk shows in the sizes of its files."""

import json
import struct
from pathlib import Path
from typing import Any

_CONFIG = "config.json"
_INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
_SINGLE = ("model.safetensors", "pytorch_model.bin")
_LENGTH_BYTES = 8
# The format's own limit.
_HEADER_MAX_BYTES = 100_000_000


class IncompleteError(Exception):
    """What is missing or cut off in a model folder, in one sentence."""


def check(folder: Path) -> None:
    """Sees that config.json, the index and every shard are there, each shard as long as its header says.

    The header of a safetensors file is its length (64-bit, little-endian) and a JSON object with the offsets of every
    tensor behind it, so a shard's size follows from its first bytes. Other weights only must not be empty.

    Raises:
        IncompleteError: the first thing that is missing or cut off.
    """
    _json_object(folder / _CONFIG)
    for shard in shards(folder):
        if shard.suffix == ".safetensors":
            _check_safetensors(shard)
        elif _size(shard) == 0:
            raise IncompleteError(f"{shard.name} is empty")


def shards(folder: Path) -> list[Path]:
    """The files with weights that a loader would read.

    Raises:
        IncompleteError: there are none, or their index cannot be read.
    """
    for name in _INDEXES:
        if (folder / name).exists():
            return _shards_of(folder / name)
    for name in _SINGLE:
        if (folder / name).exists():
            return [folder / name]
    raise IncompleteError(f"none of {', '.join((*_INDEXES, *_SINGLE))} is there")


def _shards_of(index: Path) -> list[Path]:
    weight_map = _json_object(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise IncompleteError(f"{index.name} has no weight_map")
    return [index.with_name(name) for name in sorted(set(weight_map.values()))]


def _check_safetensors(shard: Path) -> None:
    size = _size(shard)
    try:
        with shard.open("rb") as file:
            (header_bytes,) = struct.unpack("<Q", file.read(_LENGTH_BYTES))
            header = json.loads(file.read(min(header_bytes, _HEADER_MAX_BYTES)))
        tensors = [entry for name, entry in header.items() if name != "__metadata__"]
        data_bytes = max((entry["data_offsets"][1] for entry in tensors), default=0)
    except (OSError, ValueError, struct.error, AttributeError, TypeError, LookupError) as error:
        raise IncompleteError(f"{shard.name} ({size} bytes) has no whole safetensors header") from error
    wanted = _LENGTH_BYTES + header_bytes + data_bytes
    if size != wanted:
        raise IncompleteError(f"{shard.name} has {size} of {wanted} bytes")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise IncompleteError(f"{path.name} is not there") from error


def _json_object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise IncompleteError(f"{path.name} is not there") from error
    except ValueError as error:
        raise IncompleteError(f"{path.name} is no JSON") from error
    if not isinstance(content, dict):
        raise IncompleteError(f"{path.name} holds no object")
    return content
