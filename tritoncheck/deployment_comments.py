"""The suppressions in a file that starts a server: YAML, Dockerfile, script, Makefile or file of variables.

In all of them a comment begins with `#`, at the beginning of a line or, where the format has that, behind white space.
On a line of its own it covers the next line with all that is indented below that, or continued by a backslash. So it
works in a file that is broken, too. Knows nothing of what the file says, and not what a suppression says: see
`suppress`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

from tritoncheck.deployment.lines import Lines
from tritoncheck.rule import Span
from tritoncheck.suppress import Spans, Suppression, mentions, read_comment

_MENTION = re.compile(r"[^\n]*triton[-_ ]?check[^\n]*", re.ASCII | re.IGNORECASE)
_HASH = re.compile(r"(?:^|(?<=[ \t]))#")
# A file with more comments is not somebody's, nor is one with longer blocks, in lines, or longer comments.
_MOST = 200
_LONGEST = 5_000
_LONGEST_LINE = 2_000


def read_suppressions(text: str, path: str, trailing: bool) -> list[Suppression]:
    """The suppressions in a file. trailing: whether a comment may stand behind something."""
    if not mentions(text):
        return []
    latin = text.encode().decode("latin-1")
    span, blocks = _spans(text, latin, path), _Blocks(latin)
    found: list[Suppression] = []
    for start, end in _comments(latin, trailing):
        alone = not latin[latin.rfind("\n", 0, start) + 1 : start].strip()
        for one in read_comment(latin, start, end, span):
            if one.last and alone:
                one.first, one.last = blocks.below(one.span.line)
            found.append(one)
        if len(found) >= _MOST:
            break
    return found


def _spans(text: str, latin: str, path: str) -> Spans:
    """What makes places of offsets in the Latin-1 text."""
    lines = Lines(text, path)
    if text.isascii():
        return lines.span

    def span(start: int, end: int) -> Span:
        first, last = (len(latin[:at].encode("latin-1").decode("utf-8", "replace")) for at in (start, end))
        return lines.span(first, last)

    return span


def _comments(text: str, trailing: bool) -> Iterator[tuple[int, int]]:
    """Where comments that name this tool begin and end."""
    for line in _MENTION.finditer(text):
        for mark in _HASH.finditer(line.group()):
            before, behind = line.group()[: mark.start()], line.group()[mark.end() :]
            if before.strip() and not trailing:
                break
            if not any(before.count(quote) % 2 and quote in behind for quote in "'\""):
                start = line.start() + mark.start()
                yield start, min(line.end(), start + _LONGEST_LINE)
                break


class _Blocks:
    """The lines of a text that say something, and how far each of them goes."""

    def __init__(self, text: str) -> None:
        lines = enumerate(text.split("\n"), 1)
        self._lines = [(number, line) for number, line in lines if line.strip() and not line.lstrip().startswith("#")]

    def below(self, number: int) -> tuple[int, int]:
        """The lines that a comment on a line of its own covers, by its number."""
        at = bisect_right(self._lines, number, key=itemgetter(0))
        if at == len(self._lines):
            return number, number
        first, line = self._lines[at]
        last, indent = first, _indent(line)
        opens = line.split(" #")[0].rstrip().endswith(":") and not line.lstrip().startswith("-")
        continued = line.rstrip().endswith("\\")
        for inner, line in self._lines[at + 1 : at + _LONGEST]:
            # A list may stand as far left as the key that it belongs to.
            listed = opens and _indent(line) == indent and line.lstrip().startswith("- ")
            if not (_indent(line) > indent or listed or continued):
                break
            last, continued = inner, line.rstrip().endswith("\\")
        return first, last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
