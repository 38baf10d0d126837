"""The instructions of a Dockerfile with their places: directives, comments, continued lines, here-documents.

Knows the form of the file (moby/buildkit `frontend/dockerfile/parser/parser.go`, 0.12 to 0.26), not what an instruction
means. Never fails: what is no instruction is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tritoncheck.deployment.lines import Pieces, origin

_DIRECTIVE = re.compile(r"#[ \t]*([A-Za-z][A-Za-z0-9]*)[ \t]*=[ \t]*(.*?)[ \t]*$")
_HEAD = re.compile(r"\s*([A-Za-z]+)(?:\s+|$)")
_FLAG = re.compile(r"--([a-z-]+)(?:=(\S*))?\s*")
_HEREDOC = re.compile(r"<<(-?)(['\"]?)([A-Za-z0-9_.-]+)\2")
_WITH_HEREDOC = ("RUN", "COPY", "ADD")


class Instruction(NamedTuple):
    """One instruction.

    name: in upper case. flags: `--platform=…`, `--from=…`, without dashes. text: what follows them, continued lines
    joined, comments left out. documents: the bodies of here-documents. pieces: where the parts of `text` stand in the
    file, as (offset in `text`, offset in the file). start: where the instruction begins.
    """

    name: str
    flags: dict[str, str]
    text: str
    documents: tuple[str, ...]
    pieces: Pieces
    start: int

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the file for offsets in `text`."""
        return origin(self.pieces, start, end)


def read_instructions(text: str) -> Iterator[Instruction]:
    """All instructions of a Dockerfile, in order."""
    lines = _Lines(text)
    escape = "\\"
    for line, _ in lines.peek():
        directive = _DIRECTIVE.match(line)
        if directive is None:
            break
        if directive.group(1).lower() == "escape" and directive.group(2) in ("\\", "`"):
            escape = directive.group(2)
    continued = re.compile(rf"(?<!{re.escape(escape)}){re.escape(escape)}[ \t]*$")
    for line, start in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts, pieces, length = [], [], 0
        more = continued.search(line)
        while True:
            part = line[: more.start()] if more else line
            pieces.append((length, start))
            parts.append(part)
            length += len(part)
            if not more:
                break
            following = lines.next_of_instruction()
            if following is None:
                break
            line, start = following
            more = continued.search(line)
        instruction = _instruction("".join(parts), tuple(pieces))
        if instruction is None:
            continue
        if instruction.name in _WITH_HEREDOC and "<<" in instruction.text:
            wanted = [(found.group(3), bool(found.group(1))) for found in _HEREDOC.finditer(instruction.text)]
            documents = tuple(lines.document(delimiter, tabs) for delimiter, tabs in wanted)
            instruction = instruction._replace(documents=documents)
        yield instruction


def _instruction(joined: str, pieces: Pieces) -> Instruction | None:
    head = _HEAD.match(joined)
    if head is None:
        return None
    flags, at = {}, head.end()
    while found := _FLAG.match(joined, at):
        flags[found.group(1)] = found.group(2) or ""
        at = found.end()
    moved = tuple((max(mine - at, 0), there + max(at - mine, 0)) for mine, there in pieces)
    # Parts before the text begins shrink to nothing; the last of them is the one that counts.
    first = max((n for n, (mine, _) in enumerate(pieces) if mine <= at), default=0)
    whole = Instruction(head.group(1).upper(), flags, joined[at:].rstrip(), (), moved[first:], 0)
    return whole._replace(start=pieces[0][1] + head.start(1))


class _Lines:
    """The lines of a text with their offsets, without line ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def __iter__(self) -> Iterator[tuple[str, int]]:
        while self._at < len(self._text):
            yield self._next()

    def peek(self) -> Iterator[tuple[str, int]]:
        """The lines from here on, without going on."""
        return iter(_Lines(self._text))

    def _next(self) -> tuple[str, int]:
        start = self._at
        stop = self._text.find("\n", start)
        stop = len(self._text) if stop < 0 else stop
        self._at = stop + 1
        return self._text[start:stop].removesuffix("\r"), start

    def next_of_instruction(self) -> tuple[str, int] | None:
        """The next line that belongs to a continued instruction; comments and empty lines in between are passed."""
        while self._at < len(self._text):
            line, start = self._next()
            if line.strip() and not line.lstrip().startswith("#"):
                return line, start
        return None

    def document(self, delimiter: str, tabs: bool) -> str:
        """The body of a here-document."""
        body = []
        while self._at < len(self._text):
            line, _ = self._next()
            if (line.lstrip("\t") if tabs else line) == delimiter:
                break
            body.append(line)
        return "\n".join(body)
