"""A file with the raw bytes of a tensor, as Triton reads it: for a warmup sample or for an initial state.

Knows no fields and no wording.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from tritoncheck.modelfile.sniff import kind_of, read_head


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
    return DataFile("unknown") if head is None else DataFile("file", status.st_size, kind_of(head))
