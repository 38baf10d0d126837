"""Takes in the log of one server while it is written: keeps it, tells what is settled, and at the end what happened.

While the log comes in, its lines are taken in the order in which they arrive; for the judgement at the end they are put
in the order of their own times, so that it does not matter which of the two streams was read first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from tritoncheck.stress.history import History
from tritoncheck.stress.logs import Event, LogReader
from tritoncheck.stress.order import HELD, in_order
from tritoncheck.stress.records import ModelOutcome
from tritoncheck.stress.trail import ModelHistory
from tritoncheck.stress.verdict import FAILED, READY

TEXT_LIMIT = 2000
_LOG_LIMIT = 64 * 1024 * 1024
_LAST_WORDS = 200


@dataclass(slots=True)
class Follower:
    """The log of one server. retries: how often a failed load is repeated; told: is called when a model settles."""

    expected: tuple[str, ...]
    keep: BinaryIO
    told: Callable[[str, ModelOutcome], None]
    retries: int = 0
    history: History = field(default_factory=History)
    times: dict[int, float] = field(default_factory=dict)
    begin: float | None = None
    usage: bool = False
    lines: list[str] = field(default_factory=list)
    last_words: list[str] = field(default_factory=list)
    _reader: LogReader = field(default_factory=LogReader)
    _events: list[Event] = field(default_factory=list)
    _rests: dict[str, bytes] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _size: int = 0
    _ended: bool = False

    def feed(self, stream: str, data: bytes) -> None:
        """The next bytes of a stream."""
        whole, end, rest = (self._rests.get(stream, b"") + data).rpartition(b"\n")
        self._rests[stream] = rest
        if end:
            self._lines(stream, whole + end)
            self._look()

    def quiet(self) -> None:
        """Nothing comes at the moment: what waits for a further line need not wait."""
        self._take(self._reader.settle())
        self._look()

    def end(self) -> None:
        """The server is ended from outside: what it writes from now on is kept, but tells nothing of its models."""
        self._flush()
        self._ended = True

    def close(self) -> History:
        """The log is over: what happened, in the order in which it did."""
        self._flush()
        ordered = list(in_order(self._events))
        if len(self._events) >= HELD or ordered == self._events:
            return self.history
        history = History()
        for event in ordered:
            history.feed(event)
        return history

    @property
    def resolved(self) -> bool:
        """Whether the log told an outcome of each expected model."""
        return len(self._done) == len(self.expected)

    def _flush(self) -> None:
        for stream, rest in self._rests.items():
            if rest:
                self._lines(stream, rest + b"\n")
        self._rests.clear()
        if not self._ended:
            self._take(self._reader.close())
            self._look()

    def _lines(self, stream: str, lines: bytes) -> None:
        if self._size < _LOG_LIMIT:
            self._size += self.keep.write(lines)
        if self._ended:
            room = max(0, _LAST_WORDS - len(self.last_words))
            self.last_words += lines.decode("utf-8", "replace").splitlines()[:room]
            return
        if not self.history.models:
            self._first(lines)
        self._take(self._reader.feed(lines, stream))

    def _first(self, lines: bytes) -> None:
        """What a server says that never comes to its models: the first line and the last two."""
        for line in filter(bytes.strip, lines.split(b"\n")):
            self.usage = self.usage or line.startswith(b"Usage: ")
            self.lines = [*self.lines[:1], *self.lines[1:][-1:], line.decode("utf-8", "replace").strip()]

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if event.time is not None and event.row is None:
                self.begin = event.time if self.begin is None else min(self.begin, event.time)
                self.times[event.line] = event.time
            self.history.feed(event)
            if len(self._events) < HELD:
                self._events.append(event)

    def _look(self) -> None:
        for name in self.expected:
            model = self.history.models.get(name)
            done = model is not None and model.settled(self.retries)
            if done and name not in self._done:
                assert model is not None
                self._done.add(name)
                self.told(name, _first_word(model))
            elif not done:
                self._done.discard(name)


def _first_word(model: ModelHistory) -> ModelOutcome:
    """What is known at the moment at which a model settles; the verdict on the whole log may say more."""
    if model.ready or model.is_up:
        return ModelOutcome(READY)
    failure = model.refused or (model.failures[0] if model.failures else None)
    if failure is None:
        return ModelOutcome(FAILED)
    return ModelOutcome(FAILED, line=failure.line, text=failure.text[:TEXT_LIMIT])
