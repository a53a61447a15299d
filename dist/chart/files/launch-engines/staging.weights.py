"""Whether a folder holds a whole Hugging Face model: a kill or a full disk shows in the sizes of its files."""

import json
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

    Weights in other formats only must not be empty.

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


def _wanted_bytes(shard: Path) -> int:
    """The length of a safetensors file by its own header.

    Format: 8 bytes with the header's length (little-endian), the header as JSON with the offsets of every tensor, and
    the tensors.

    Raises:
        OSError: the file cannot be read.
        ValueError: it does not begin with a whole header.
    """
    with shard.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if length > min(shard.stat().st_size, _HEADER_MAX_BYTES):
            raise ValueError(f"a header of {length} bytes")
        header = json.loads(file.read(length))
    try:
        ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
        return _LENGTH_BYTES + length + max(ends, default=0)
    except (AttributeError, TypeError, LookupError) as error:
        raise ValueError(f"its header is none of safetensors: {error!r}") from error


def _check_safetensors(shard: Path) -> None:
    size = _size(shard)
    try:
        wanted = _wanted_bytes(shard)
    except (OSError, ValueError) as error:
        raise IncompleteError(f"{shard.name} ({size} bytes) has no whole safetensors header") from error
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
