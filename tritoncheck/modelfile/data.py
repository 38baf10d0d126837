"""A file with the raw bytes of a tensor, as Triton reads it: for a warmup sample or for an initial state.

Knows no fields and no wording.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from tritoncheck.modelfile.sniff import ZEROS, kind_of, read_head
from tritoncheck.modelfile.window import read_whole

# A larger file of strings is not counted.
_STRINGS_LIMIT = 4 * 1024 * 1024


class DataFile(NamedTuple):
    """state: `file`, `folder`, `missing`, or `unknown` where it cannot be looked at. size: in bytes. kind: what it is
    by its first bytes, "" where they say nothing."""

    state: str
    size: int = 0
    kind: str = ""

    @property
    def is_placeholder(self) -> bool:
        """Whether a source tree keeps it for a file that comes later."""
        return self.kind in ("empty", "a Git LFS pointer")


def look(folder: str, name: str) -> DataFile:
    """What lies there; links are followed, as Triton does, also out of the folder."""
    path = os.path.join(folder, *name.split("/"))
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return DataFile("missing")
    except (OSError, ValueError):
        return DataFile("unknown")
    if stat.S_ISDIR(status.st_mode):
        return DataFile("folder")
    head = read_head(path)
    if head is None:
        return DataFile("unknown")
    kind = kind_of(head)
    return DataFile("file", status.st_size, "" if kind == ZEROS else kind)  # zeros are a tensor like any other


def count_strings(folder: str, name: str, most: int) -> int | None:
    """How many strings are in a file for a tensor of TYPE_STRING: each has its length before it, in four bytes. -1
    where a length is cut, None where the file cannot be read. Stops beyond `most`; the last string may be cut, as
    for Triton.
    """
    content = read_whole(os.path.join(folder, *name.split("/")), _STRINGS_LIMIT)
    if content is None:
        return None
    at = count = 0
    while at < len(content) and count <= most:
        if len(content) - at < 4:
            return -1
        at += 4 + int.from_bytes(content[at : at + 4], "little")
        count += 1
    return count
