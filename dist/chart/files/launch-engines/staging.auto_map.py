"""The classes that a model's files name for transformers: those beside the weights, not those of a repository on a hub.

A checkpoint of OpenVLA says `openvla/openvla-7b--processing_prismatic.PrismaticProcessor`: transformers then downloads
that code at each start, past what lies in the folder, and fails where a pod has no way out (openvla#302).
"""

import json
from pathlib import Path
from typing import Any

_KEY = "auto_map"


def use_own_code(folder: Path) -> None:
    """Leaves the repository out of every class whose module is in the folder.

    Raises:
        OSError: a file cannot be read or written.
    """
    for path in sorted(folder.glob("*.json")):
        tree = _tree(path)
        if tree is not None and (own := _own(tree[_KEY], folder)) != tree[_KEY]:
            path.write_text(json.dumps({**tree, _KEY: own}, indent=2) + "\n", encoding="utf-8")


def _tree(path: Path) -> dict[str, Any] | None:
    """The file's content, if it names classes."""
    text = path.read_text(encoding="utf-8", errors="replace")
    # A tokenizer's file has megabytes, and none of these.
    if f'"{_KEY}"' not in text:
        return None
    try:
        tree = json.loads(text)
    except ValueError:
        return None
    return tree if isinstance(tree, dict) and _KEY in tree else None


def _own(value: Any, folder: Path) -> Any:
    """Of a class's name, or of those in a list or map: a tokenizer has a slow and a fast one."""
    if isinstance(value, dict):
        return {key: _own(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_own(item, folder) for item in value]
    if not isinstance(value, str) or "--" not in value:
        return value
    name = value.partition("--")[2]
    return name if (folder / f"{name.partition('.')[0]}.py").is_file() else value
