"""Writes what a command has to say: to standard output, or into files that are whole or as they were before."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


class UsageError(Exception):
    """Wrong usage; the text is the one line the user sees."""


def write(text: str, output: str = "") -> None:
    """Print a text, or write it to a file. UsageError where that cannot be."""
    if output:
        _write_file(text, output)
        return
    if sys.stdout is None:
        raise UsageError("standard output is closed; name a file with --output")
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"cannot write the report: {error.strerror}") from None


def _write_file(text: str, output: str) -> None:
    path = Path(os.path.realpath(output))
    if path.suffix == ".pbtxt":
        raise UsageError(f"{output}: a report does not go into a model configuration")
    data = text.encode("utf-8", "backslashreplace")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a device or a pipe
        else:
            replace_file(path, data)
    except OSError as error:
        raise UsageError(f"{output}: cannot write: {error.strerror}") from None


def replace_file(path: Path, data: bytes) -> None:
    """Write a regular file whole: into a new one beside it, to disk, then in its place, with mode and owner of the old
    one. A link is followed. OSError where that fails; the old file is then as it was."""
    path = Path(os.path.realpath(path))
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            old = path.stat()
            with contextlib.suppress(OSError):
                os.chown(partial, old.st_uid, old.st_gid)
            partial.chmod(old.st_mode & 0o7777)
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
