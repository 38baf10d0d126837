"""The records of a judgement: per model, for the server, for one start. Plain data; who judges is `classify`."""

from __future__ import annotations

from dataclasses import dataclass

from tritoncheck.stress.signatures import Match

READY, DEGRADED, FAILED, KNOCK_ON = "ready", "degraded", "failed", "knock-on"
HUNG, CRASHED, UNKNOWN = "hung", "crashed", "unknown"


@dataclass(frozen=True, slots=True)
class End:
    """How the log came to its end.

    how: `cut` (nothing is known), `running` (the server was still up), `timeout` (it was ended for being too slow),
    `exit` (it ended by itself, with `code`: negative or above 128 for a signal).
    """

    how: str = "cut"
    code: int | None = None

    @property
    def signal(self) -> int:
        """The signal that ended the server, 0 for none."""
        if self.how != "exit" or self.code is None:
            return 0
        return -self.code if self.code < 0 else self.code - 128 if 128 < self.code < 160 else 0


@dataclass(frozen=True, slots=True)
class Note:
    """A line that belongs to a verdict."""

    line: int
    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one model.

    kind: the class of the cause, "" where nothing went wrong and for a knock-on. line, text: the cause; of a model that
    is ready by a retry, of what failed before.
    culprits: the models that caused it. victims: those that this one's captures failed. lost: what a degraded model
    lost. symptoms: further lines. instances: each instance that failed. healed: failed attempts that a retry healed.
    near: the cause stands in a line that names no model. match: the signature of the cause.
    """

    model: str
    outcome: str
    kind: str = ""
    line: int = 0
    text: str = ""
    culprits: tuple[str, ...] = ()
    victims: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    symptoms: tuple[Note, ...] = ()
    instances: tuple[Note, ...] = ()
    healed: int = 0
    near: bool = False
    match: Match | None = None

    @property
    def label(self) -> str:
        """The outcome in one word: `failed:oom`."""
        return f"{self.outcome}:{self.kind}" if self.outcome == FAILED else self.outcome


@dataclass(frozen=True, slots=True)
class ServerVerdict:
    """What became of the server: `up`, `failed` (it refused to start), `crashed`, or `unknown` (the log does not say).

    version: of Triton, "" where the log does not say. notes: lines that concern the whole server.
    """

    outcome: str
    kind: str = ""
    line: int = 0
    text: str = ""
    version: str = ""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdicts of one start. first, last: its lines in the log. half: only errors were captured of it."""

    models: dict[str, Verdict]
    server: ServerVerdict
    options: dict[str, str]
    first: int
    last: int
    half: bool = False
