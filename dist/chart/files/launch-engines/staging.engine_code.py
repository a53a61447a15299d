"""The code that travels with a model: the engine's own files take the place of the checkpoint's, if they are whole.

SimpleVLA-RL's examples/overwrite_vla_ckpt_utils.sh copies the same files into the shared checkpoint, without a look at
what it replaces and without an error when it fails. Here they go into the run's own folder, and what the engine calls
is looked for by name before anything starts.
"""

import ast
import importlib.util
from collections.abc import Mapping
from pathlib import Path

FOLDER_OF_VLA: Mapping[str, str] = {
    "openvla": "verl/utils/vla_utils/openvla",
    "openvla-oft": "verl/utils/vla_utils/openvla_oft",
}

# What the engine calls in the files of a model folder; a method counts wherever its class is.
NEEDED: Mapping[str, Mapping[str, str]] = {
    "openvla": {"processing_prismatic.py": "PrismaticProcessor"},
    "openvla-oft": {"modeling_prismatic.py": "generate_action_verl", "processing_prismatic.py": "PrismaticProcessor"},
}


class CodeError(Exception):
    """What is wrong with a file of code, in one sentence."""


def find_tree(code: str, package: str = "verl") -> Path | None:
    """The folder that holds the engine's package: the one that was named, or where Python would import it from."""
    if code:
        return Path(code)
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parents[1]


def files_for(vla: str, tree: Path | None) -> list[Path]:
    """The engine's files that belong beside the weights of a kind of model; [] where the tree has none."""
    if tree is None or vla not in FOLDER_OF_VLA:
        return []
    return sorted(path for path in (tree / FOLDER_OF_VLA[vla]).glob("*.py") if path.name != "__init__.py")


def defines(path: Path, name: str) -> bool:
    """Whether a file defines a class or a function of that name, at any depth.

    Raises:
        CodeError: the file cannot be read, or is no Python.
    """
    definitions = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, definitions) and node.name == name for node in ast.walk(_parse(path)))


def check(folder: Path, vla: str) -> None:
    """Sees that every file of code in a model folder is Python, and that what the engine calls is there.

    Raises:
        CodeError: the first thing that is wrong.
    """
    for path in sorted(folder.glob("*.py")):
        _parse(path)
    for name, needed in NEEDED.get(vla, {}).items():
        if not (folder / name).is_file():
            raise CodeError(f"{name} is not there, in which the engine looks for {needed}")
        if not defines(folder / name, needed):
            raise CodeError(f"{name} does not define {needed}, which the engine calls")


def is_better(ours: Path, theirs: Path, vla: str) -> bool:
    """Whether the engine's file may take the place of the model's: not when only the model's has what is called."""
    needed = NEEDED.get(vla, {}).get(ours.name)
    return needed is None or defines(ours, needed) or not theirs.is_file() or not defines(theirs, needed)


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except (OSError, SyntaxError, ValueError) as error:
        raise CodeError(f"{path.name} is no readable Python: {error}") from error
