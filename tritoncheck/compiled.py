"""What was made of many Python files, kept in one file: two hundred small ones take long to open one by one.

The file lies where Python keeps compiled modules (`__pycache__`, or below `PYTHONPYCACHEPREFIX`) and, as theirs, is
used only while each source has the size and the time of change that are noted in it. Where it cannot be read or
written, all is made anew. Knows nothing of rules.
"""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

Stamp = tuple[str, int, int]  # path, nanoseconds of the last change, bytes


class Kept:
    """What was made of Python files, by the last process that kept it.

    name: the module under which `folder` would have it. OSError for a file that is not there.
    """

    def __init__(self, name: str, folder: Path, files: Sequence[str]) -> None:
        self._stamps = [_stamp(path) for path in files]
        self._pack = _pack(name, folder)

    def get(self) -> Any:
        """What was kept; None where there is nothing, or a file has changed since."""
        return _read(self._pack, self._stamps)

    def put(self, made: Callable[[], Any]) -> None:
        """Keep what `made` gives, of types that `marshal` takes, unless Python is told to write no compiled code."""
        if not sys.dont_write_bytecode:
            _write(self._pack, self._stamps, made())


def compile_file(path: str) -> CodeType:
    """The code of one Python file, from Python's own cache where that is fresh. SyntaxError or ValueError for what is
    no Python, OSError for what cannot be read."""
    name = Path(path).stem
    code = SourceFileLoader(name, path).get_code(name)
    assert code is not None  # a source file always has code
    return code


def _stamp(path: str) -> Stamp:
    status = os.stat(path)
    return path, status.st_mtime_ns, status.st_size


def _pack(name: str, folder: Path) -> str:
    """Where the code is kept; "" where this Python keeps none."""
    try:
        return importlib.util.cache_from_source(str(folder / f"{name}.py"))
    except NotImplementedError:
        return ""


def _read(pack: str, stamps: list[Stamp]) -> Any:
    """What was kept, if it is of this Python and of these sources as they are now; else None."""
    try:
        with open(pack, "rb") as file:
            magic, noted, made = marshal.loads(file.read())
    except (OSError, EOFError, ValueError, TypeError):
        return None
    fresh = magic == importlib.util.MAGIC_NUMBER and noted == stamps
    return made if fresh else None


def _write(pack: str, stamps: list[Stamp], made: Any) -> None:
    """Keep it for the next time, whole or not at all; where that cannot be, nothing is lost but time."""
    partial = f"{pack}.{os.getpid()}"
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(pack), exist_ok=True)
        try:
            with open(partial, "wb") as file:
                marshal.dump((importlib.util.MAGIC_NUMBER, stamps, made), file)
            os.replace(partial, pack)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(partial)
