"""Reads strangers' files in small pieces, where they are asked for, so that a file of 2 GB costs what is looked at.

Opens regular files only: a FIFO, a device or a socket is not opened for reading. Knows no formats.
"""

from __future__ import annotations

import os
import stat
from types import TracebackType
from typing import Self

PIECE = 8192


def open_regular(path: str, listed: bool = False) -> tuple[int, int] | None:
    """A descriptor of a regular file, to be closed, and its size; None for what is none or cannot be opened.

    listed: a listing said that it is a regular file, so it need not be asked for before it is opened.
    """
    try:
        if not listed and not stat.S_ISREG(os.stat(path).st_mode):
            return None
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    status = os.fstat(number)
    if stat.S_ISREG(status.st_mode):
        return number, status.st_size
    os.close(number)
    return None


def read_whole(path: str, limit: int, listed: bool = False) -> bytes | None:
    """The bytes of a regular file; None for what is none, cannot be read, or is larger than `limit`."""
    opened = open_regular(path, listed)
    if opened is None:
        return None
    number, size = opened
    try:
        content = os.read(number, limit + 1) if size <= limit else None
        while content is not None and len(content) < size and (more := os.read(number, limit + 1 - len(content))):
            content += more
    except OSError:
        content = None
    finally:
        os.close(number)
    return content if content is not None and len(content) <= limit else None


class Window:
    """An open file through which one piece is seen at a time. A context manager.

    size: bytes of the file when it was opened. piece, base: the piece last read and where it begins.
    """

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self.size = size
        self.piece = b""
        self.base = 0

    @classmethod
    def open(cls, path: str, listed: bool = False) -> Self | None:
        """A window on a regular file; None for what is none or cannot be opened."""
        opened = open_regular(path, listed)
        return None if opened is None else cls(*opened)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def move(self, start: int) -> bytes:
        """The piece that begins at a place; shorter, or empty, where the file ends. Raises OSError."""
        self.piece, self.base = os.pread(self._descriptor, PIECE, start), start
        return self.piece

    def read(self, start: int, count: int) -> bytes:
        """So many bytes from a place, fewer where the file ends. Raises OSError."""
        offset = start - self.base
        if offset >= 0 and offset + count <= len(self.piece):
            return self.piece[offset : offset + count]
        return os.pread(self._descriptor, count, start)
