"""One start of the server: follows its log, settles when every model has an outcome, and says what came of it.

The log tells what happens while it happens; the index is asked once, when the server answers, for what the log may not
tell. Knows neither where the server runs nor what is kept of the attempt.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO

from tritoncheck.stress.classify import classify
from tritoncheck.stress.history import History
from tritoncheck.stress.host import EnvironmentFault, HostError, Row, Server
from tritoncheck.stress.listener import Listener
from tritoncheck.stress.logs import Event, LogReader
from tritoncheck.stress.records import Attempt, ModelOutcome, Plan
from tritoncheck.stress.trail import ModelHistory
from tritoncheck.stress.verdict import CRASHED, FAILED, READY, UNKNOWN, Diagnosis, End, Verdict

# How long one read waits: bounds how late a line without end, a signal and the time-out are noticed.
_WAIT = 0.04
# How long a server may take to open its endpoints once all its models have an outcome.
_GRACE = 3.0
_INDEX = 5.0
_AFTER_ABORT = 10.0
_LOG_LIMIT = 64 * 1024 * 1024
_TEXT_LIMIT = 2000
_NO_ROW = "no version of it can be loaded: it is not in the server's index"


class Stopped(Exception):
    """The user wants to stop now; this attempt does not count."""


@dataclass(slots=True)
class Follower:
    """Takes in the log of one server, line by line in the order of arrival, as it is kept."""

    expected: tuple[str, ...]
    keep: BinaryIO
    told: Callable[[str, ModelOutcome], None]
    reader: LogReader = field(default_factory=LogReader)
    history: History = field(default_factory=History)
    times: dict[int, float] = field(default_factory=dict)
    begin: float | None = None
    usage: bool = False
    lines: list[str] = field(default_factory=list)
    _rests: dict[str, bytes] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)
    _size: int = 0

    def feed(self, stream: str, data: bytes) -> None:
        """The next bytes of a stream."""
        *lines, rest = (self._rests.get(stream, b"") + data).split(b"\n")
        self._rests[stream] = rest
        for line in lines:
            self._line(stream, line + b"\n")
        if lines:
            self._look()

    def quiet(self) -> None:
        """Nothing comes at the moment: what waits for a further line need not wait."""
        self._take(self.reader.settle())
        self._look()

    def close(self) -> None:
        """The log is over."""
        for stream, rest in self._rests.items():
            if rest:
                self._line(stream, rest + b"\n")
        self._rests.clear()
        self._take(self.reader.close())
        self._look()

    @property
    def resolved(self) -> bool:
        """Whether the log told an outcome of each expected model."""
        return len(self._done) == len(self.expected)

    def _line(self, stream: str, line: bytes) -> None:
        if self._size < _LOG_LIMIT:
            self._size += self.keep.write(line)
        if not self.history.models and line.strip():
            self.usage = self.usage or line.startswith(b"Usage: ")
            self.lines = [*self.lines[:1], *self.lines[1:][-2:], line.decode("utf-8", "replace").strip()]
        self._take(self.reader.feed(line, stream))

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if event.time is not None and event.row is None:
                self.begin = event.time if self.begin is None else self.begin
                self.times[event.line] = event.time
            self.history.feed(event)

    def _look(self) -> None:
        for name in self.expected:
            model = self.history.models.get(name)
            done = model is not None and _is_done(model)
            if done and name not in self._done:
                assert model is not None
                self._done.add(name)
                self.told(name, _first_word(model))
            elif not done:
                self._done.discard(name)


def run_attempt(
    server: Server, plan: Plan, number: int, keep: BinaryIO, listener: Listener, stopping: Callable[[], bool]
) -> tuple[Attempt, str]:
    """Follow a server that was just started to its end or until all is known; and its version, "" if it did not say.

    Raises Stopped, and EnvironmentFault or HostError where what happened says nothing of the models.
    """
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    follower = Follower(plan.expected, keep, lambda name, outcome: listener.model(number, name, outcome))
    begin = server.now()
    end, seconds = _follow(server, plan, follower, begin, stopping)
    rows = server.index(_INDEX) if end.how == "running" else None
    follower.close()
    history = follower.history
    diagnosis = classify(history, end, plan.expected)
    _refuse_no_attempt(diagnosis, follower, end)
    models = {name: _outcome(diagnosis.models[name], follower) for name in plan.expected}
    if rows is not None:
        models = {name: with_index(outcome, name, rows) for name, outcome in models.items()}
    failed = diagnosis.server.outcome in (FAILED, CRASHED)
    attempt = Attempt(
        number=number,
        started=started,
        seconds=round(seconds, 3),
        ended={"running": "settled"}.get(end.how, end.how),
        whole=not failed and all(one.outcome == READY for one in models.values()),
        models=models,
        exit_code=end.code,
        server=(diagnosis.server.kind or diagnosis.server.outcome) if failed else "",
        server_line=diagnosis.server.line if failed else 0,
        server_text=diagnosis.server.text[:_TEXT_LIMIT] if failed else "",
    )
    return attempt, diagnosis.server.version


def _follow(
    server: Server, plan: Plan, follower: Follower, begin: float, stopping: Callable[[], bool]
) -> tuple[End, float]:
    """Read until something ends the attempt: how it ended, and the seconds until the last outcome."""
    last = begin
    while True:
        if stopping():
            raise Stopped
        chunks = server.read(_WAIT)
        for chunk in chunks:
            follower.feed(chunk.stream, chunk.data)
        now = server.now()
        if chunks:
            last = now
        elif server.over():
            return End("exit", server.exit_code()), last - begin
        else:
            follower.quiet()
        if follower.history.serving or (follower.resolved and now - last > _GRACE):
            return End("running"), last - begin
        if now - begin > plan.startup_timeout:
            _abort(server, follower)
            return End("timeout", server.exit_code()), now - begin


def _abort(server: Server, follower: Follower) -> None:
    """Too slow: a signal that makes it tell where it hangs, then the end."""
    server.signal(signal.SIGABRT)
    until = server.now() + _AFTER_ABORT
    while server.now() < until and not server.over():
        for chunk in server.read(_WAIT):
            follower.feed(chunk.stream, chunk.data)
    if not server.over():
        with contextlib.suppress(EnvironmentFault):
            server.signal(signal.SIGKILL)


def _refuse_no_attempt(diagnosis: Diagnosis, follower: Follower, end: End) -> None:
    """A server that never came to its models: its flags were refused, or a port was taken."""
    server = diagnosis.server
    if end.how != "exit":
        return
    if server.outcome == FAILED and server.kind == "port-in-use":
        raise EnvironmentFault(f"a port of the server was taken: {server.text[:200]}")
    if follower.usage and end.code == 1:
        first, last = follower.lines[0], follower.lines[-1]
        text = last if first.startswith("Usage: ") else first
        raise HostError(f"the server refuses its flags: {text[:400]}")
    if not follower.history.begun and end.code in (126, 127):
        text = " ".join(follower.lines)[:400]
        raise HostError(f"the server's program cannot be run (exit code {end.code}): {text}")


def _is_done(model: ModelHistory) -> bool:
    if model.refused is not None or model.ready or model.is_up:
        return True
    return bool(model.failures) and "loading" not in model.versions.values()


def _first_word(model: ModelHistory) -> ModelOutcome:
    """What is known at the moment at which a model settles; the verdict on the whole log may say more."""
    if model.ready or model.is_up:
        return ModelOutcome(READY)
    failure = model.refused or model.failures[0]
    return ModelOutcome(FAILED, line=failure.line, text=failure.text[:_TEXT_LIMIT])


def _outcome(verdict: Verdict, follower: Follower) -> ModelOutcome:
    model = follower.history.models.get(verdict.model)
    begun = follower.times.get(model.began) if model and model.began else None
    ended = follower.times.get(model.ended) if model and model.ended else None
    return ModelOutcome(
        outcome=verdict.outcome,
        failure=verdict.kind,
        line=verdict.line,
        text=verdict.text[:_TEXT_LIMIT] if verdict.outcome != READY else "",
        culprits=verdict.culprits,
        victims=verdict.victims,
        lost=verdict.lost,
        seconds=round(max(0.0, ended - begun), 6) if begun is not None and ended is not None else None,
        begun=round(begun - follower.begin, 6) if begun is not None and follower.begin is not None else None,
        retries=verdict.healed,
        failures=tuple(note.text[:_TEXT_LIMIT] for note in verdict.instances),
    )


def with_index(outcome: ModelOutcome, name: str, rows: list[Row]) -> ModelOutcome:
    """What the index adds: an outcome where the log told none, and a failure that it did not tell."""
    if outcome.outcome not in (READY, UNKNOWN):
        return outcome
    own = [row for row in rows if row.name == name]
    bad = [row for row in own if row.state == "UNAVAILABLE" and row.reason != "unloaded"]
    if bad:
        return replace(outcome, outcome=FAILED, failure="other", text=bad[0].reason[:_TEXT_LIMIT])
    if any(row.state == "READY" for row in own):
        return replace(outcome, outcome=READY)
    if outcome.outcome == UNKNOWN and not own:
        return replace(outcome, outcome=FAILED, failure="config-validate", text=_NO_ROW)
    if outcome.outcome == UNKNOWN and any(not row.state for row in own):
        return replace(outcome, outcome=FAILED, failure="other", text="refused before it was loaded")
    return outcome
