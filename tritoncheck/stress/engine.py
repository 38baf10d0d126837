"""The loop of a run: attempts, one after the other, until a declared rule ends it, the user does, or the surroundings.

An environment fault is no attempt: it is written down and tried again for a while. Ctrl-C once finishes the attempt
that runs; twice, or SIGTERM, ends it at once. However it ends, nothing of a server stays behind.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from types import FrameType
from typing import TypeVar

from tritoncheck import __version__
from tritoncheck.stress.attempt import Stopped, run_attempt
from tritoncheck.stress.ending import rules_of
from tritoncheck.stress.host import EnvironmentFault, Host, HostError, HostFacts, Server
from tritoncheck.stress.journal import Journal, read_attempts, read_facts
from tritoncheck.stress.listener import Listener
from tritoncheck.stress.records import Attempt, Facts, Plan
from tritoncheck.stress.stop import Decision, StopRule, Tally, decide

# How long the surroundings may fail before the run gives up, and how often they are tried.
PATIENCE = 120.0
_PAUSES = (0.5, 1, 2, 5, 10)


T = TypeVar("T")


class GaveUp(Exception):
    """The surroundings failed for too long; everything so far is kept."""


class Stop:
    """What the user asked for: nothing, an end after this attempt, an end now."""

    def __init__(self) -> None:
        self.soon = False
        self.now = False

    def ask(self) -> None:
        """Ctrl-C: first soon, then now; then whatever runs is interrupted."""
        if self.now:
            raise KeyboardInterrupt
        self.now = self.soon
        self.soon = True

    @contextlib.contextmanager
    def listening(self, listener: Listener) -> Iterator[None]:
        """Handle SIGINT and SIGTERM meanwhile."""

        def interrupt(number: int, frame: FrameType | None) -> None:
            self.ask()
            listener.note("stopping now" if self.now else "finishing this attempt; Ctrl-C again stops at once")

        def terminate(number: int, frame: FrameType | None) -> None:
            self.soon = self.now = True

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {signal.SIGINT: interrupt, signal.SIGTERM: terminate, signal.SIGHUP: terminate}
        old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)


class Engine:
    """One session of a run."""

    def __init__(
        self, plan: Plan, host: Host, journal: Journal, listener: Listener, stop: Stop, patience: float | None = None
    ) -> None:
        self.plan = plan
        self.host = host
        self.journal = journal
        self.listener = listener
        self.stop = stop
        self.patience = PATIENCE if patience is None else patience
        self._triton = ""
        self._facts: Facts | None = None

    def run(self) -> Decision | None:
        """Run to the end: the decision of the rule that ended it, None where the user did.

        Raises GaveUp, and HostError where the plan cannot be carried out at all.
        """
        decision, reason = None, "failed"
        try:
            with self.stop.listening(self.listener):
                decision, reason = self._run()
        except GaveUp as error:
            reason = str(error)
            raise
        finally:
            self.host.close()
            if self._facts is not None:
                self.journal.write("end", {"reason": reason, "ended": _now()})
                self.listener.end(reason)
        return decision

    def _run(self) -> tuple[Decision | None, str]:
        found = self._patiently(lambda: self.host.prepare(self._note))
        if found is None:
            return None, "stopped by the user"
        self._facts = self._write_facts(found)
        done = list(read_attempts(self.journal.folder)) if self.journal.attempts else []
        self.listener.begin(self.plan, self._facts, done)
        del done
        rules = rules_of(self.plan)
        while (decision := decide(rules, self._tally())) is None:
            if self.stop.soon or not self._attempt(self.journal.attempts + 1):
                return None, "stopped by the user"
        self.journal.write("decision", _table(decision, rules))
        return decision, decision.reason

    def _note(self, text: str) -> None:
        if self.stop.soon:
            raise Stopped
        self.listener.note(text)

    def _tally(self) -> Tally:
        journal = self.journal
        return Tally(journal.attempts, journal.failures, journal.seconds, journal.unknown)

    def _attempt(self, number: int) -> bool:
        """One attempt that counts; whether there was one."""
        attempt = self._patiently(lambda: self._try(number))
        if attempt is None:
            return False
        worth = not attempt.whole or any(one.retries for one in attempt.models.values())
        attempt = replace(attempt, log=self.journal.keep_log(number, worth))
        self.journal.write_attempt(attempt)
        self.listener.finished(attempt)
        return True

    def _try(self, number: int) -> Attempt:
        server: Server | None = None
        begin = time.monotonic()
        try:
            with self.journal.open_log() as keep:
                server = self.host.start(number)
                self.listener.started(number)
                attempt, version = run_attempt(server, self.plan, number, keep, self.listener, lambda: self.stop.now)
        finally:
            if server is not None:
                server.remove()
        if version and version != self._triton:
            self._triton = version
            if self._facts is not None and not self._facts.triton:
                self._facts = replace(self._facts, triton=version)
                self.journal.write("facts", self._facts)
        return replace(attempt, took=round(time.monotonic() - begin, 3))

    def _patiently(self, call: Callable[[], T]) -> T | None:
        """Call until the surroundings play along; None if the user stops meanwhile."""
        begin, tries = time.monotonic(), 0
        while not self.stop.now:
            try:
                return call()
            except Stopped:
                return None
            except EnvironmentFault as fault:
                text = str(fault)
                self.journal.write("environment", {"text": text, "at": _now()})
                if fault.lasting or time.monotonic() - begin > self.patience:
                    raise GaveUp(text) from None
                self.listener.note(f"{text}: trying again")
            pause = time.monotonic() + _PAUSES[min(tries, len(_PAUSES) - 1)]
            tries += 1
            while time.monotonic() < pause and not self.stop.soon:
                time.sleep(0.05)
            if self.stop.soon:
                return None
        return None

    def _write_facts(self, found: HostFacts) -> Facts:
        before = next((one.image_digest for one in read_facts(self.journal.folder) if one.image_digest), "")
        if before and found.image_digest != before:
            raise HostError(f"the run began with the image {before}; {self.plan.image} is now {found.image_digest}")
        facts = Facts(
            started=_now(),
            tritoncheck=__version__,
            triton=self._triton,
            image_digest=found.image_digest,
            engine=found.engine,
            driver=found.driver,
            gpu=found.gpu,
            host=os.uname().nodename,
            cpus=found.cpus,
            command=found.command,
        )
        self.journal.write("facts", facts)
        return facts


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _table(decision: Decision, rules: Sequence[StopRule]) -> dict[str, object]:
    """The line of the journal: what was decided, and by which rule with which parameters."""
    declared = next(rule for rule in rules if rule.name == decision.rule)
    return {
        "rule": decision.rule,
        "parameters": {one.name: getattr(declared, one.name) for one in fields(declared)},  # type: ignore[arg-type]
        "outcome": decision.outcome,
        "reason": decision.reason,
        "attempts": decision.tally.attempts,
        "failures": decision.tally.failures,
        "unknown": decision.tally.unknown,
    }
