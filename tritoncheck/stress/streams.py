"""From the bytes of a log to its lines: encodings, line ends, colours, and what collectors put around a line.

A log arrives from a file, from `docker logs` (with or without times), from the files of a container engine, from
`kubectl logs`, from a journal. What they add is taken off here, so that the reader of events sees what the server
wrote. Knows nothing of what a line means, except the shape of Triton's header, by which an unknown prefix is noticed.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import NamedTuple

# No line of a log is longer than this; the rest of such a line is dropped.
LINE_LIMIT = 1024 * 1024

# Triton's header in its two formats, `default` and `ISO8601` (server `src/command_line_parser.cc`, 22.06 on; common
# `src/logging.cc`). Libraries that log like glog have more digits and more spaces.
HEADER = re.compile(
    r"(?:(?P<level>[IWEF])(?P<month>\d\d)(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d\.\d{6,9})"
    r"|(?P<date>\d{4}-\d\d-\d\d)T(?P<seconds>\d\d:\d\d:\d\d)Z (?P<iso_level>[IWEF]))"
    r" {1,12}\d{1,10} (?P<source>[\w./+-]{1,200}:\d{1,7})\] ?"
)
_COLOURS = re.compile(r"\x1b(?:\[[0-9;:?]{0,40}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{1,9})(?:Z|[+-]\d\d:\d\d) ")
_CRI = re.compile(r"(stdout|stderr) ([FP])(?::[^ ]{0,40})? ")
_POD = re.compile(r"\[pod/[^\]\s]{1,300}\] ")
_COMPOSE = re.compile(r"[\w.-]{1,100}[-_]\d{1,4} {1,40}\| ")
_PREFIXES_LEARNED = 8


class Line(NamedTuple):
    """One line as the server wrote it.

    stamp: date and time of day that a collector put before it, "" if none did. whole: whether its end was seen;
    engines cut long lines into parts. stream: the stream a collector names, "" if it names none.
    """

    text: str
    stamp: tuple[str, str] = ("", "")
    whole: bool = True
    stream: str = ""


class LineSplitter:
    """Bytes in any pieces → lines as text. UTF-8; a line that is none is read as Latin-1; UTF-16 by its mark."""

    def __init__(self) -> None:
        self._decided = False
        self._decoder: codecs.IncrementalDecoder | None = None
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes complete."""
        if not self._decided:
            data = self._begin(data)
        return self._split(self._recode(data))

    def close(self) -> list[str]:
        """The last line, if it has no end."""
        lines = []
        if not self._decided:
            self._decided, data = True, bytes(self._rest)
            self._rest.clear()
            lines = self._split(data)
        if self._decoder:
            lines += self._split(self._decoder.decode(b"", True).encode("utf-8", "replace"))
        if self._rest:
            lines.append(_decode(bytes(self._rest)))
            self._rest.clear()
        return lines

    def _begin(self, data: bytes) -> bytes:
        """Look for a byte order mark once three bytes are there."""
        self._rest += data
        if len(self._rest) < 3:
            return b""
        self._decided, data = True, bytes(self._rest)
        self._rest.clear()
        if data.startswith(codecs.BOM_UTF8):
            return data[3:]
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        return data

    def _recode(self, data: bytes) -> bytes:
        return self._decoder.decode(data).encode("utf-8", "replace") if self._decoder else data

    def _split(self, data: bytes) -> list[str]:
        if not self._decided:
            return []
        *ended, rest = data.split(b"\n")
        lines = []
        for piece in ended:
            self._keep(piece)
            lines.append(_decode(bytes(self._rest)))
            self._rest.clear()
        self._keep(rest)
        return lines

    def _keep(self, piece: bytes) -> None:
        self._rest += piece[: max(0, LINE_LIMIT - len(self._rest))]


def _decode(line: bytes) -> str:
    line = line.removesuffix(b"\r")
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


class Parts:
    """The parts of a line that an engine cut."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.room = LINE_LIMIT

    def add(self, text: str) -> None:
        """Keep a part, as long as there is room."""
        if self.room > 0:
            self.texts.append(text[: self.room])
            self.room -= max(1, len(text))


class Unwrapper:
    """Takes off what collectors put around lines. Prefixes it does not know are learned from lines with a header."""

    def __init__(self) -> None:
        self._learned: dict[str, re.Pattern[str]] = {}

    def unwrap(self, text: str) -> Line:
        """The line within."""
        if text.startswith('{"log":'):
            return _unpack(text)
        if "\x1b" in text:
            text = _COLOURS.sub("", text)
        for pattern in self._learned.values():
            if found := pattern.match(text):
                text = text[found.end() :]
                break
        stamp, stream, whole = ("", ""), "", True
        at = 0
        while found := _wrapping(text, at):
            if found.re is _STAMP:
                stamp = (found[1], found[2])
            at = found.end()
        if stamp[0] and (found := _CRI.match(text, at)):
            stream, whole, at = found[1], found[2] == "F", found.end()
        return Line(text[at:], stamp, whole, stream)

    def learn(self, lead: str) -> bool:
        """Take what stands before a header as the prefix of all lines, if it looks like one; whether it does."""
        if not lead.endswith((" ", "\t", "]", "|")) or len(lead) > 200 or '"' in lead:
            return False
        shape = re.sub(r"\d+", lambda _: r"\d{1,20}", re.escape(lead))
        if shape not in self._learned and len(self._learned) < _PREFIXES_LEARNED:
            self._learned[shape] = re.compile(shape)
        return True


def _wrapping(text: str, at: int) -> re.Match[str] | None:
    """What a known collector put at this place."""
    first = text[at : at + 1]
    if first == "[":
        return _POD.match(text, at)
    stamp = _STAMP.match(text, at) if first.isdigit() else None
    return stamp or (_COMPOSE.match(text, at) if "| " in text[at : at + 160] else None)


def _unpack(text: str) -> Line:
    """A line of the files that Docker's json-file driver writes."""
    try:
        packed = json.loads(text)
        inner, stream, time = packed["log"], packed.get("stream", ""), packed.get("time", "")
        if not (isinstance(inner, str) and isinstance(stream, str) and isinstance(time, str)):
            return Line(text)
    except (ValueError, KeyError, TypeError, RecursionError):
        return Line(text)
    found = _STAMP.match(f"{time} ")
    stamp = (found[1], found[2]) if found else ("", "")
    whole = inner.endswith("\n")
    inner = _COLOURS.sub("", inner.removesuffix("\n").removesuffix("\r")).replace("\n", " ")
    return Line(inner, stamp, whole, stream)
