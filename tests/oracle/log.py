"""The parse errors in a server's log."""

from __future__ import annotations

import re
from dataclasses import dataclass

# libprotobuf's log handler writes "[libprotobuf LEVEL FILE:LINE] TEXT\n";
# TextFormat::Parser::ParserImpl::ReportError writes the text, without a position where there is none.
_ENTRY = re.compile(
    rb"^\[libprotobuf (?P<level>[A-Z]+) [^\]\n]*\] "
    rb"(?:(?:Error|Warning) parsing text-format [\w.]+: (?:(?P<line>\d+):(?P<column>\d+): )?)?",
    re.MULTILINE,
)
# A line of the server itself: E1130 11:30:09.433118 4031 model_repository_manager.cc:1460] "Poll failed for …
_SERVER_LINE = re.compile(rb"^[EWI]\d{4} \d\d:\d\d:\d\d\.\d{6} \d+ [\w./-]+:\d+\] ", re.MULTILINE)
UNREAD = b"failed to read text proto from "


@dataclass(frozen=True, slots=True)
class ServerError:
    """One `line:column: message` of the log.

    Both count from 1; both are 0 where the server names no position. Columns are libprotobuf's: bytes, with a
    tab going to the next multiple of 8. Bytes of the message that are not UTF-8 are kept as lone surrogates
    (`surrogateescape`).
    """

    line: int
    column: int
    message: str


def read_errors(log: bytes) -> tuple[ServerError, ...]:
    """The parse errors in a piece of the server's log, in order.

    A message may hold newlines and any byte (it quotes the text), so it ends where the next entry of
    libprotobuf or the server's own line about the unread file begins, not at the end of its line.
    """
    unread = log.rfind(UNREAD)
    if unread >= 0:
        own = [match.start() for match in _SERVER_LINE.finditer(log, 0, unread)]
        log = log[: own[-1]] if own else log[:unread]
    entries = list(_ENTRY.finditer(log))
    ends = [entry.start() for entry in entries[1:]] + [len(log)]
    found = []
    for entry, end in zip(entries, ends, strict=False):
        if entry["level"] == b"ERROR" and b"parsing text-format" in entry.group():
            message = log[entry.end() : end].removesuffix(b"\n").decode("utf-8", "surrogateescape")
            found.append(ServerError(int(entry["line"] or 0), int(entry["column"] or 0), message))
    return tuple(found)
