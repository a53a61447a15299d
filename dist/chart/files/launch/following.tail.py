"""New lines of a file that another process writes: whole ones only, across truncation and rotation."""

import os
from pathlib import Path
from typing import BinaryIO

_CHUNK_BYTES = 1 << 20
# No line of a log that people read is longer; what is, is a broken file and must not fill the memory.
_LINE_MAX_BYTES = 1 << 24


class Tail:
    """Follows one file by its path."""

    def __init__(self, path: Path, *, offset: int = 0) -> None:
        """Names the file, which need not be there yet.

        Args:
            path: of the file.
            offset: bytes that were read in an earlier life, up to the end of a line.
        """
        self._path = path
        self._file: BinaryIO | None = None
        self._partial = b""
        self.offset = offset
        """Bytes read so far, up to the end of a line."""

    def lines(self) -> list[str]:
        """The lines that were completed since the last call; broken UTF-8 becomes replacement characters."""
        lines: list[str] = []
        while (file := self._open()) is not None:
            if os.fstat(file.fileno()).st_size < self.offset:
                self._restart(file)
            while chunk := file.read(_CHUNK_BYTES):
                lines += self._complete(chunk)
            if self._is_current(file):
                break
            # Renamed or replaced: its rest has been read, and what has the name now is read from its start.
            self.close()
            self.offset = 0
        return lines

    def close(self) -> None:
        """Lets go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._partial = b""

    def _open(self) -> BinaryIO | None:
        if self._file is None:
            try:
                self._file = self._path.open("rb")
            except OSError:
                return None
            self._file.seek(self.offset)
        return self._file

    def _complete(self, chunk: bytes) -> list[str]:
        *complete, partial = (self._partial + chunk).split(b"\n")
        self.offset += sum(len(line) + 1 for line in complete)
        self._partial = partial
        if len(partial) > _LINE_MAX_BYTES:
            self.offset += len(partial)
            self._partial = b""
        return [line.decode(errors="replace").rstrip("\r") for line in complete]

    def _restart(self, file: BinaryIO) -> None:
        file.seek(0)
        self.offset = 0
        self._partial = b""

    def _is_current(self, file: BinaryIO) -> bool:
        try:
            named, opened = self._path.stat(), os.fstat(file.fileno())
        except OSError:
            # Renamed away, and nothing new there yet.
            return True
        return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
