"""The suppressions in a file that starts a server: YAML, Dockerfile, script, Makefile or file of variables.

In all of them a comment begins with `#`, at the beginning of a line or, where the format has that, behind white space.
On a line of its own it covers the next line with all that is indented below that, or continued by a backslash. So it
works in a file that is broken, too. Knows nothing of what the file says, and not what a suppression says: see
`suppress`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tritoncheck.deployment.lines import Lines
from tritoncheck.rule import Span
from tritoncheck.suppress import Spans, Suppression, mentions, read_comment

_MENTION = re.compile(r"[^\n]*triton[-_ ]?check[^\n]*", re.ASCII | re.IGNORECASE)
_HASH = re.compile(r"(?:^|(?<=[ \t]))#")
_INDENT = re.compile(r"[ \t]*")
# A file with more is not somebody's.
_MOST = 200


def read_suppressions(text: str, path: str, trailing: bool) -> list[Suppression]:
    """The suppressions in a file. trailing: whether a comment may stand behind something."""
    if not mentions(text):
        return []
    latin = text.encode().decode("latin-1")
    span, lines = _spans(text, latin, path), latin.split("\n")
    found: list[Suppression] = []
    for start, end in _comments(latin, trailing):
        alone = not latin[latin.rfind("\n", 0, start) + 1 : start].strip()
        for one in read_comment(latin, start, end, span):
            if one.last and alone:
                one.first, one.last = _covered(lines, one.span.line)
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
                yield line.start() + mark.start(), line.end()
                break


def _covered(lines: list[str], number: int) -> tuple[int, int]:
    """The lines that a comment on its own line covers, by its number: both count from 1."""
    at = number
    while at < len(lines) and _is_gap(lines[at]):
        at += 1
    if at == len(lines):
        return number, number
    first, last, indent = at, at, _indent(lines[at])
    opens = lines[at].split(" #")[0].rstrip().endswith(":") and not lines[at].lstrip().startswith("-")
    for at in range(first + 1, len(lines)):
        line = lines[at]
        if _is_gap(line):
            continue
        # A list may stand as far left as the key that it belongs to.
        listed = opens and _indent(line) == indent and line.lstrip().startswith("- ")
        if not (_indent(line) > indent or listed or lines[last].rstrip().endswith("\\")):
            break
        last = at
    return first + 1, last + 1


def _is_gap(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _indent(line: str) -> int:
    found = _INDENT.match(line)
    return found.end() if found else 0
