"""Reads deployment files, each once. The only place where their bytes are touched; knows no format."""

from __future__ import annotations

import os
import stat

# No file that starts a server is larger; what is, is not read.
MOST_BYTES = 1024 * 1024
MOST_FILES = 100


class FileError(ValueError):
    """A file that is not read; the text says why."""


class Files:
    """The files of one run. texts: those read so far, by path. asked: those asked for since someone emptied it."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.asked: set[str] = set()
        self._failed: dict[str, str] = {}

    def read(self, path: str) -> str:
        """The text of a file. FileError where it is missing, no regular file, too large or not UTF-8."""
        self.asked.add(path)
        if path in self._failed:
            raise FileError(self._failed[path])
        if path not in self.texts:
            try:
                self.texts[path] = self._read(path)
            except FileError as error:
                self._failed[path] = str(error)
                raise
        return self.texts[path]

    def exists(self, path: str) -> bool:
        """Whether there is a file of this path."""
        return path in self.texts or os.path.isfile(path)

    @property
    def full(self) -> bool:
        """Whether so many files were read that no more are."""
        return len(self.texts) >= MOST_FILES

    def _read(self, path: str) -> str:
        if "\0" in path:
            raise FileError("no name of a file: it holds a null character")
        if self.full:
            raise FileError(f"one of more than {MOST_FILES} files, not read")
        try:
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode):
                raise FileError("not a regular file")
            if status.st_size > MOST_BYTES:
                raise FileError(f"{status.st_size} bytes, too large for a file that starts a server")
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise FileError((error.strerror or str(error)).lower()) from None
        null = data.find(b"\0")
        if null >= 0:  # as no text has, and no path may
            raise FileError(f"a null character, line {_line(data, null)}")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileError(f"not UTF-8, line {_line(data, error.start)}") from None


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1
