"""Paths and texts made fit to be shown."""

from __future__ import annotations

import os
from functools import cache


@cache
def shown_path(path: str) -> str:
    """A path relative to the working directory, with `/`; as it is where that would climb out by `..`."""
    relative = os.path.relpath(path).replace(os.sep, "/")
    return os.path.abspath(path).replace(os.sep, "/") if relative.startswith("../../..") else relative


def printable(text: str) -> str:
    """A text without characters that could steer a terminal; a tab becomes a space, others their escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " if char == "\t" else repr(char)[1:-1] for char in text)
