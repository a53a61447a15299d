"""The model folder of one start: code and small files copied, weights linked, never a write to the shared checkpoint.

The engine rewrites config.json, leaves backups and copies code into the folder that it loads from, and every rank of
every node reads it. So it lies in the run folder, which all pods see, and one process makes it before any rank starts.
"""

import shutil
from pathlib import Path

from . import auto_map, engine_code, weights

_COPIED = {".py", ".json", ".txt", ".md", ".jinja", ".model"}
_WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "pytorch_model*")


def stage(*, model: Path, checkpoint: Path | None, tree: Path | None, vla: str, into: Path) -> None:
    """Makes the folder, beside its name first, so that it is there as a whole or not at all.

    Args:
        model: the user's model, with its processor, tokenizer and statistics.
        checkpoint: of an earlier start, whose weights and files take the place of the model's; None: the model's.
        tree: the engine's source tree; None: it has none, and the model's own code is used.
        vla: the kind of model.
        into: the folder to make.

    Raises:
        weights.IncompleteError: the weights are not all there.
        engine_code.CodeError: the code lacks what the engine calls.
        OSError: a folder cannot be read or written.
    """
    partial = into.with_name(f".{into.name}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    # A checkpoint's shards may have other names than the model's, and a loader takes what it finds first.
    _take(model, partial, but=set() if checkpoint is None else _names(model, _WEIGHTS))
    if checkpoint is not None:
        _take(checkpoint, partial, but=set())
    for file in engine_code.files_for(vla, tree):
        if engine_code.is_better(file, partial / file.name, vla):
            _copy(file, partial / file.name)
    auto_map.use_own_code(partial)
    weights.check(partial)
    engine_code.check(partial, vla)
    partial.rename(into)


def _take(source: Path, into: Path, *, but: set[str]) -> None:
    for path in sorted(source.iterdir()):
        if path.name.startswith(".") or path.name == "__pycache__" or path.name in but:
            continue
        (into / path.name).unlink(missing_ok=True)
        if path.suffix in _COPIED and path.is_file():
            _copy(path, into / path.name)
        else:
            (into / path.name).symlink_to(path.absolute())


def _copy(source: Path, target: Path) -> None:
    """Content only: a read-only checkpoint must not make a read-only copy."""
    shutil.copyfile(source, target)


def _names(folder: Path, patterns: tuple[str, ...]) -> set[str]:
    return {path.name for pattern in patterns for path in folder.glob(pattern)}
