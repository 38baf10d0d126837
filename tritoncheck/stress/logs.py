"""From a server's log to its events, whatever release and collector wrote it; piece by piece, while it is written.

Triton writes a header before each message (server `command_line_parser.cc`, `--log-format`), puts the message in
quotes and escapes it since 24.05, sends INFO to stdout since 25.06, and prints its tables without header. libprotobuf,
TensorRT, Python stubs and the C library write what they like in between. Everything becomes an `Event`; nothing raises.
Knows nothing of what an event means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tritoncheck.stress.clock import Clock
from tritoncheck.stress.streams import HEADER, Line, LineSplitter, Parts, Unwrapper
from tritoncheck.stress.tables import Row, TableReader

# The text of one event is kept up to this length.
TEXT_LIMIT = 64 * 1024

# Lines without header that begin something of their own, so that they never go on with the message before.
_OWN = re.compile(
    r"\[(?:libprotobuf|TensorRT|TRT|[A-Z]+\]|ORT)|error: |Error: |Signal \(\d|terminate called|  what\(\): "
    r"|Segmentation |Aborted|Killed|Traceback \(|={3,}|\+--|\| |NVIDIA |Triton |WARNING: |ERROR: |NOTE: |docker: |OCI "
    r"|double free|free\(\)|malloc|corrupted|WARNING|\*\*\*|#+ |TRITONSERVER|Usage: |\d{4}-\d\d-\d\d[ T]"
)
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))')
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Event(NamedTuple):
    """One thing that the log says.

    line: the number of its (first) line, from 1. text: the message, unescaped, further lines after `\n`.
    level: `I`, `W`, `E`, `F`; "" where it has no header. source: `file.cc:12`, "" without header.
    time: seconds, to be compared within one log only; None where none is known. stream: as it was fed or collected.
    row: the row of a table, for which text is "" and level is "I".
    """

    line: int
    text: str
    level: str = ""
    source: str = ""
    time: float | None = None
    stream: str = ""
    row: Row | None = None

    @property
    def first(self) -> str:
        """The first line of the text."""
        return self.text.partition("\n")[0]


@dataclass(slots=True)
class _Open:
    """An event whose text may go on. header: it is Triton's own, so any line without header may belong to it."""

    event: Event
    header: bool
    texts: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str) -> None:
        if self.size < TEXT_LIMIT:
            self.texts.append(text[: TEXT_LIMIT - self.size])
            self.size += len(text) + 1

    def done(self) -> Event:
        while self.texts and not self.texts[-1].strip():
            self.texts.pop()
        return self.event._replace(text="\n".join(self.texts))


class _Stream:
    """What is held of one stream: bytes without line end, parts of a cut line, the open event, the open table."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.splitter = LineSplitter()
        self.unwrapper = Unwrapper()
        self.parts: dict[str, Parts] = {}
        self.open: _Open | None = None
        self.table = TableReader()


class LogReader:
    """Feed it bytes or text in any pieces, of one stream or several; it gives the events that are complete.

    A message in quotes is complete with its line. Others are when the next line is seen; `settle` ends the wait, for
    those who follow a log while it is written.
    """

    def __init__(self) -> None:
        self.lines = 0
        self._streams: dict[str, _Stream] = {}
        self._times = Clock()

    def feed(self, data: bytes | str, stream: str = "") -> list[Event]:
        """The events that this completes."""
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")
        held = self._streams.setdefault(stream, _Stream(stream))
        events: list[Event] = []
        for text in held.splitter.feed(data):
            self._line(held, text, events)
        return events

    def settle(self) -> list[Event]:
        """The events that wait for lines which may not come; what comes all the same becomes an event of its own."""
        events: list[Event] = []
        for held in self._streams.values():
            self._finish(held, events)
        return sorted(events, key=lambda event: event.line)

    def close(self) -> list[Event]:
        """The last events: the log is over."""
        events: list[Event] = []
        for held in self._streams.values():
            for text in held.splitter.close():
                self._line(held, text, events)
            for stream, parts in held.parts.items():
                self._text(held, Line("".join(parts.texts), stream=stream), events)
            held.parts = {}
            self._finish(held, events)
        return sorted(events, key=lambda event: event.line)

    def _line(self, held: _Stream, text: str, events: list[Event]) -> None:
        self.lines += 1
        line = held.unwrapper.unwrap(text)
        if not line.whole:
            held.parts.setdefault(line.stream, Parts()).add(line.text)
            return
        if parts := held.parts.pop(line.stream, None):
            parts.add(line.text)
            line = line._replace(text="".join(parts.texts))
        self._text(held, line, events)

    def _text(self, held: _Stream, line: Line, events: list[Event]) -> None:
        """A whole line: one event, part of one, or several where writers collided."""
        header = HEADER.search(line.text)
        if header is None:
            self._bare(held, line, line.text, events)
            return
        lead = line.text[: header.start()]
        if lead and not held.unwrapper.learn(lead):
            self._bare(held, line, lead, events)
        while header is not None:
            rest = line.text.find("] ", header.end()) >= 0
            following = HEADER.search(line.text, header.end()) if rest else None
            while following and not _collided(line.text, following.start()):
                following = HEADER.search(line.text, following.end())
            end = following.start() if following else len(line.text)
            self._header(held, line, header, line.text[header.end() : end], events)
            header = following

    def _header(self, held: _Stream, line: Line, header: re.Match[str], text: str, events: list[Event]) -> None:
        self._finish(held, events)
        held.table.end()
        event = Event(
            self.lines,
            "",
            header["level"] or header["iso_level"],
            header["source"],
            self._times.of(header, line.stamp),
            line.stream or held.name,
        )
        text = text.strip()
        if len(text) > 1 and text[0] == '"' and _closed(text):
            events.append(event._replace(text=_unescape(text[1:-1])[:TEXT_LIMIT]))
            return
        held.open = _Open(event, True)
        held.open.add(_unescape(text[1:]) if text.startswith('"') and "\\" in text else text)

    def _bare(self, held: _Stream, line: Line, text: str, events: list[Event]) -> None:
        """A line without header."""
        if TableReader.belongs(text):
            if held.open:
                events.append(held.open.done())
                held.open = None
            if row := held.table.feed(self.lines, text):
                events.append(self._row(held, row))
            return
        goes_on = held.open is not None and not _OWN.match(text)
        if held.open and goes_on and (held.open.header or not text or text[0] in " \t"):
            held.open.add(text)
            return
        self._finish(held, events)
        held.table.end()
        if not text.strip():
            return
        time = self._times.of(None, line.stamp)
        held.open = _Open(Event(self.lines, "", time=time, stream=line.stream or held.name), False)
        held.open.add(text)

    def _finish(self, held: _Stream, events: list[Event]) -> None:
        if held.open:
            events.append(held.open.done())
            held.open = None
        if row := held.table.finish():
            events.append(self._row(held, row))

    def _row(self, held: _Stream, row: Row) -> Event:
        return Event(row.line, "", "I", "", self._times.last, held.name, row)


def _closed(text: str) -> bool:
    """Whether a text ends with a quote that is not escaped."""
    if not text.endswith('"'):
        return False
    inside = text[:-1]
    return (len(inside) - len(inside.rstrip("\\"))) % 2 == 0


def _collided(text: str, at: int) -> bool:
    """Whether a header inside a line was written by another writer, not quoted by this message."""
    return (text[at - 1] == '"' and text[at - 2] != "\\") or text[at - 1] not in " \t\"'([`:n"


def _unescape(text: str) -> str:
    """What the server escaped, as it was."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: _PLAIN.get(found[1], found[1]) if found[1] else chr(int(found[2], 16)), text)


def read_log(data: bytes | str) -> list[Event]:
    """All events of a whole log of one stream."""
    reader = LogReader()
    return reader.feed(data) + reader.close()
