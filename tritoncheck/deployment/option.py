"""One name with a value, as a command line gives it, and its place in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from tritoncheck.deployment.words import Word

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=(.*)", re.DOTALL)


class Option(NamedTuple):
    """A flag, an option or a variable. value: "" without one. known: whether nothing in it is left unread."""

    name: str
    value: str
    start: int = 0
    end: int = 0
    known: bool = True


def assigned(word: Word) -> Option | None:
    """`NAME=value` as an option, None for any other word."""
    found = _ASSIGNED.fullmatch(word.text)
    if found is None or found.group(2):
        return None
    return Option(found.group(1), found.group(3), word.start, word.end, word.known)
