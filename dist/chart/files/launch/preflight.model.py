"""The model's folder: complete and readable on this node, before any rank has loaded half of it."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..run_config import RunConfig
from ..staging import weights
from .finding import Finding
from .plan import Plan, plan_of

_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json", "vocab.json")
_STATISTICS = "dataset_statistics.json"
_POINTER = b"version https://git-lfs.github.com/spec/"


class _UnusableError(Exception):
    """A file that cannot be used: what is wrong with it, and what to do."""

    def __init__(self, wrong: str, remedy: str) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.remedy = remedy


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Looks at the folder that the engine's key names, if it names a local one."""
    plan = plan_of(config, environ)
    # The native engine's policies have a format of their own, and are made where there is none yet.
    if config.engine.name == "native" or not plan.model_path:
        return
    folder = Path(plan.model_path)
    if not folder.is_dir():
        remedy = "put the model there, or set storage.models so that its volume is mounted on every node"
        yield Finding(key=plan.model_key, wrong=f"is {folder}, which is no folder on this node", remedy=remedy)
        return
    for problem in _problems(folder, plan):
        yield Finding(key=plan.model_key, wrong=f"is {folder}, {problem.wrong}", remedy=problem.remedy)


def _problems(folder: Path, plan: Plan) -> Iterator[_UnusableError]:
    looks: list[Callable[[], None]] = [
        lambda: _look_at_config(folder),
        lambda: _look_at_tokenizer(folder),
        lambda: _look_at_weights(folder),
    ]
    if plan.unnorm_key:
        looks.append(lambda: _look_at_statistics(folder, plan.unnorm_key))
    return filter(None, map(_problem, looks))


def _problem(look: Callable[[], None]) -> _UnusableError | None:
    try:
        look()
    except _UnusableError as problem:
        return problem
    return None


def _look_at_config(folder: Path) -> None:
    _read_json(folder / "config.json")


def _look_at_tokenizer(folder: Path) -> None:
    found = [folder / name for name in _TOKENIZERS if (folder / name).exists()]
    if not found:
        raise _UnusableError(f"which has no tokenizer ({', '.join(_TOKENIZERS)})", "copy the model's whole folder")
    for path in found:
        _see(path)


def _look_at_weights(folder: Path) -> None:
    try:
        for shard in weights.shards(folder):
            _see(shard)
        weights.check(folder)
    except weights.IncompleteError as error:
        raise _UnusableError(f"whose weights are not whole: {error}", "copy the model's whole folder") from error


def _look_at_statistics(folder: Path, unnorm_key: str) -> None:
    """As the engine does: of the folder's file, else of config.json, under the key or the key with _no_noops."""
    path = folder / _STATISTICS
    where = path if path.exists() else folder / "config.json"
    if not where.exists():
        return
    tree = _read_json(where)
    known = tree if where is path else tree.get("norm_stats")
    if not isinstance(known, dict):
        known = {}
    bare = unnorm_key.removeprefix("robotwin_").removeprefix("robotwin2_")
    if not {bare, unnorm_key, f"{unnorm_key}_no_noops"} & known.keys():
        has = ", ".join(sorted(known)) or "none"
        raise _UnusableError(
            f"whose {where.name} has no statistics for {unnorm_key} (it has {has})",
            "set training.hydra.actor_rollout_ref.rollout.unnorm_key to one that it has, or copy the file that was "
            f"written when this model was trained to {folder / _STATISTICS}",
        )


def _read_json(path: Path) -> dict[str, Any]:
    _see(path)
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _UnusableError(f"whose {path.name} is no JSON ({error})", "copy it again") from error
    if not isinstance(tree, dict):
        raise _UnusableError(f"whose {path.name} is no JSON object", "copy it again")
    return tree


def _see(path: Path) -> None:
    """Sees that a file has content of its own."""
    if path.is_symlink() and not path.exists():
        target = path.readlink()
        raise _UnusableError(
            f"whose {path.name} is a link to {target}, which is not here",
            "copy what the links point to (cp -L, or hf download --local-dir)",
        )
    try:
        with path.open("rb") as file:
            start = file.read(len(_POINTER))
    except FileNotFoundError as error:
        raise _UnusableError(f"which has no {path.name}", "copy the model's whole folder") from error
    except OSError as error:
        raise _UnusableError(
            f"whose {path.name} cannot be read ({error.strerror})",
            f"let user {os.getuid()} or group {os.getgid()} read it, or set podSecurity.runAsUser and fsGroup",
        ) from error
    if not start:
        raise _UnusableError(f"whose {path.name} is empty", "copy it again")
    if start == _POINTER:
        raise _UnusableError(
            f"whose {path.name} is a pointer of Git LFS in place of the file",
            "run `git lfs pull` in the clone, or use `hf download`",
        )


def weights_bytes(folder: Path) -> int:
    """Size of the weights; 0 where they cannot be found, for what is wrong with them is this module's to say."""
    try:
        return sum(path.stat().st_size for path in weights.shards(folder))
    except (weights.IncompleteError, OSError):
        return 0


def float32_bytes(folder: Path) -> int:
    """Size of the weights as float32, the type in which verl builds and saves them."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = {}
    half = isinstance(config, dict) and config.get("torch_dtype") in ("bfloat16", "float16")
    return weights_bytes(folder) * (2 if half else 1)
