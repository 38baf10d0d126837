"""The compiled code of many Python files, kept in one file: two hundred small ones take long to open one by one.

The file lies where Python keeps compiled modules (`__pycache__`, or below `PYTHONPYCACHEPREFIX`) and, as theirs, is
used only while each source has the size and the time of change that are noted in it. Where it cannot be read or
written, the sources are compiled as Python does it. Knows nothing of rules.
"""

from __future__ import annotations

import contextlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

Stamp = tuple[str, int, int]  # path, nanoseconds of the last change, bytes


def compiled(name: str, files: Sequence[str], keep_in: Path) -> list[CodeType]:
    """The code of Python files, in their order.

    name: the module under which `keep_in`, a folder, would have them all. SyntaxError or ValueError for a file that is
    no Python, OSError for one that cannot be read.
    """
    stamps = [_stamp(path) for path in files]
    pack = _pack(name, keep_in)
    codes = _read(pack, stamps)
    if codes is None:
        codes = [compile_file(path) for path in files]
        if not sys.dont_write_bytecode:
            _write(pack, stamps, codes)
    return codes


def compile_file(path: str) -> CodeType:
    """The code of one Python file, from Python's own cache where that is fresh. Errors as for `compiled`."""
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


def _read(pack: str, stamps: list[Stamp]) -> list[CodeType] | None:
    """The code, if it is that of this Python and of these sources as they are now."""
    try:
        with open(pack, "rb") as file:
            magic, kept, codes = marshal.loads(file.read())
    except (OSError, EOFError, ValueError, TypeError):
        return None
    fresh = magic == importlib.util.MAGIC_NUMBER and kept == stamps
    return codes if fresh else None


def _write(pack: str, stamps: list[Stamp], codes: list[CodeType]) -> None:
    """Keep the code for the next time, whole or not at all; where that cannot be, nothing is lost but time."""
    partial = f"{pack}.{os.getpid()}"
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(pack), exist_ok=True)
        try:
            with open(partial, "wb") as file:
                marshal.dump((importlib.util.MAGIC_NUMBER, stamps, codes), file)
            os.replace(partial, pack)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(partial)
