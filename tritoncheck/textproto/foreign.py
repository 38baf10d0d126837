"""Files that are no model configuration at all: one word about the whole file is worth more than its first ten faults.

Each of them is told by something that cannot stand in a text that libprotobuf reads as a message of known fields.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Foreign(NamedTuple):
    """What a file is instead: the byte span that shows it, the fault in words, what to do."""

    start: int
    end: int
    message: str
    help: str


_SIGNS = (
    (
        re.compile(r"\A\s*version https://git-lfs\S*"),
        "the file is a Git LFS pointer: its content has not been fetched",
        "run `git lfs pull`",
    ),
    (
        re.compile(
            r"^(?:from [\w.]+ import .*|import [\w.]+(?: as \w+)?\s*$|def \w+\(.*|class \w+(?:\(.*)?:\s*$)", re.M | re.A
        ),
        "the file holds Python source, which is no model configuration",
        "put it into `model.py` in a version folder",
    ),
    (
        re.compile(r"\A\s*\{\s*(?:\"[^\"\n]*\"\s*:|\})"),
        "the file is JSON; a model configuration is written in protobuf's text format",
        "take off the outer braces and the quotes around names",
    ),
    (
        re.compile(r"\A\s*<(?:\?xml|!DOCTYPE|html)\b.*", re.I | re.A),
        "the file is a web page or XML, which is no model configuration",
        "fetch the file itself",
    ),
)
_BINARY_NULS = 4  # so many NUL bytes are no slip of a keyboard


def look_foreign(text: str) -> Foreign | None:
    """What a text (Latin-1) is if it is no model configuration; None as far as it may be one."""
    nulls = text.count("\0")
    if nulls >= _BINARY_NULS:
        if text[:2] in ("\xff\xfe", "\xfe\xff") or nulls * 3 > len(text):
            message, advice = "the file is encoded as UTF-16 or UTF-32", "save it as UTF-8 without a byte order mark"
            return Foreign(0, len(text), message, advice)
        return Foreign(
            0, len(text), "the file holds NUL bytes: it is no text", "put a model configuration in its place"
        )
    for sign, message, advice in _SIGNS:
        found = sign.search(text)
        if found is not None:
            return Foreign(*found.span(), message, advice)
    return None
