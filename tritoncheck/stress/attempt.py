"""One start of the server: follows its log, settles when every model has an outcome, and says what came of it.

The log tells what happens while it happens; the index is asked once, when the server answers, for what the log may not
tell. Knows neither where the server runs nor what is kept of the attempt.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from typing import BinaryIO

from tritoncheck.stress import flags
from tritoncheck.stress.classify import classify
from tritoncheck.stress.follower import Follower
from tritoncheck.stress.history import History
from tritoncheck.stress.host import EnvironmentFault, HostError, Server
from tritoncheck.stress.listener import Listener
from tritoncheck.stress.outcomes import TEXT_LIMIT, given_up, outcome, with_index
from tritoncheck.stress.records import Attempt, Plan
from tritoncheck.stress.verdict import CRASHED, FAILED, READY, Diagnosis, End

# How long one read waits: bounds how late a line without end, a signal and the time-out are noticed.
_WAIT = 0.04
# How long the other stream may be behind the line by which the server says that it serves.
_DRAIN = 0.02
# How long a server may take to open its endpoints once all its models have an outcome.
_GRACE = 3.0
_INDEX = 5.0
# How long it may take to tell where it hangs, and where it cannot (no handler, as first process of a container).
_AFTER_ABORT, _DEAF = 10.0, 1.0


class Stopped(Exception):
    """The user wants to stop now; this attempt does not count."""


def run_attempt(
    server: Server, plan: Plan, number: int, keep: BinaryIO, listener: Listener, stopping: Callable[[], bool]
) -> tuple[Attempt, str]:
    """Follow a server that was just started to its end or until all is known; and its version, "" if it did not say.

    Raises Stopped, and EnvironmentFault or HostError where what happened says nothing of the models.
    """
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    retries = flags.retries(plan.flags)
    follower = Follower(plan.expected, keep, lambda name, one: listener.model(number, name, one), retries)
    begin = server.now()
    end, seconds, silent = _follow(server, plan, follower, begin, stopping)
    rows = server.index(_INDEX) if end.how == "running" else None
    _drain(server, follower, end)
    history = follower.close()
    diagnosis = classify(history, end, plan.expected)
    _refuse_no_attempt(diagnosis, follower, history, end)
    verdicts = {name: diagnosis.models[name] for name in plan.expected}
    models = {name: outcome(one, history, follower.times, follower.begin) for name, one in verdicts.items()}
    if rows is not None:
        models = {name: with_index(one, name, rows) for name, one in models.items()}
    if end.how == "timeout":
        models = {
            name: given_up(one, name, seconds - max(0.0, silent), follower.last_words) for name, one in models.items()
        }
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
        server_text=diagnosis.server.text[:TEXT_LIMIT] if failed else "",
    )
    return attempt, diagnosis.server.version


def _follow(
    server: Server, plan: Plan, follower: Follower, begin: float, stopping: Callable[[], bool]
) -> tuple[End, float, float]:
    """Read until something ends the attempt: how, and the seconds until the last outcome and until the first line."""
    last, first = begin, 0.0
    while True:
        if stopping():
            raise Stopped
        chunks = server.read(_WAIT)
        for chunk in chunks:
            follower.feed(chunk.stream, chunk.data)
        now = server.now()
        if chunks:
            last = now
            first = first or now
        elif server.over():
            return End("exit", server.exit_code()), last - begin, first - begin
        else:
            follower.quiet()
        if follower.history.serving or (follower.resolved and now - last > _GRACE):
            return End("running"), last - begin, first - begin
        if now - begin > plan.startup_timeout:
            _abort(server, follower)
            return End("timeout", server.exit_code()), now - begin, first - begin


def _drain(server: Server, follower: Follower, end: End) -> None:
    """What the server wrote before it served, and of which only one stream has come here."""
    until = server.now() + _GRACE
    while end.how == "running" and server.now() < until and (chunks := server.read(_DRAIN)):
        for chunk in chunks:
            follower.feed(chunk.stream, chunk.data)


def _abort(server: Server, follower: Follower) -> None:
    """Too slow: a signal that makes it tell where it hangs, then the end."""
    follower.end()
    until = server.now() + (_AFTER_ABORT if server.signal(signal.SIGABRT) else _DEAF)
    while server.now() < until and not server.over():
        for chunk in server.read(_WAIT):
            follower.feed(chunk.stream, chunk.data)
    if not server.over():
        with contextlib.suppress(EnvironmentFault):
            server.signal(signal.SIGKILL)


def _refuse_no_attempt(diagnosis: Diagnosis, follower: Follower, history: History, end: End) -> None:
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
    if not history.begun and end.code in (126, 127):
        text = " ".join(follower.lines)[:400]
        raise HostError(f"the server's program cannot be run (exit code {end.code}): {text}")
