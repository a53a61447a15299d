"""A file that readers see as a whole or not at all."""

import os
from pathlib import Path


def write(path: Path, text: str, *, is_durable: bool = False) -> None:
    """Writes a file of which this process is the only writer, by rename.

    Args:
        path: of the file, in a folder that is there.
        text: its content.
        is_durable: whether it must be on the disk before its name changes, to outlive a node that loses its power.

    Raises:
        OSError: it cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        if is_durable:
            file.flush()
            os.fsync(file.fileno())
    partial.replace(path)
