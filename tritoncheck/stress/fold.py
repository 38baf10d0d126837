"""Attempts, one by one, into what a summary is computed from; it keeps some bytes for each, never the attempts.

Ways: attempts in which the same models ended in the same manner went wrong in the same way. One of each is kept whole,
as are the first good ones, so that a report can show them. Knows nothing of intervals.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field

from tritoncheck.stress.rates import BAD
from tritoncheck.stress.records import Attempt, ModelOutcome

# One letter for each outcome, in strips. `-`: the model was not expected in that attempt.
LETTERS = {
    "ready": ".",
    "degraded": "d",
    "failed": "F",
    "knock-on": "k",
    "hung": "H",
    "crashed": "C",
    "unknown": "?",
}
GOOD, WRONG, UNCLEAR = ".", "F", "?"
# Ways that are told apart; further ones are counted together. Good attempts that are kept for comparison.
_WAYS, _GOOD = 200, 8
_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Example:
    """Where a class of failures was seen first: the attempt, and the line in its log."""

    attempt: int
    line: int
    text: str


@dataclass(slots=True)
class Way:
    """One way to go wrong. parts: model, outcome, class. example: the first attempt, or the first with a log."""

    parts: tuple[tuple[str, str, str], ...]
    server: str
    attempts: int
    first: int
    example: Attempt


@dataclass(slots=True)
class ModelFold:
    """What is kept of one model. strip: a letter for each attempt. waited: for loads that never ended.

    classes: of its failures; causes: of these and of its losses; losses: what it came up without. healed: the
    classes of what a retry healed.
    """

    strip: bytearray
    outcomes: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Example] = field(default_factory=dict)
    seconds: array[float] = field(default_factory=lambda: array("d"))
    waited: array[float] = field(default_factory=lambda: array("d"))
    first_bad: int | None = None
    healed: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, one: ModelOutcome, attempt_seconds: float) -> None:
        """Take in what became of it in one attempt."""
        self.outcomes[one.outcome] += 1
        self.strip += LETTERS.get(one.outcome, "?").encode()
        if one.outcome in ("ready", "degraded") and one.seconds is not None and one.seconds >= 0:
            self.seconds.append(one.seconds)
        if one.outcome == "hung":
            self.waited.append(max(0.0, one.seconds or attempt_seconds - (one.begun or 0.0)))
        kind = one.failure or "other"
        if one.outcome in BAD:
            self.first_bad = self.first_bad or number
            self.causes[kind] += 1
            if one.outcome == "degraded":
                self.losses.update(one.lost or (kind,))
            else:
                self.classes[kind] += 1
        elif one.retries:
            self.healed[kind] += 1
        else:
            return
        if kind not in self.examples:
            self.examples[kind] = Example(number, one.line, one.text[:_TEXT])


@dataclass(slots=True)
class Fold:
    """What is kept of a run, or of one arm of it."""

    models: dict[str, ModelFold] = field(default_factory=dict)
    strip: bytearray = field(default_factory=bytearray)
    numbers: array[int] = field(default_factory=lambda: array("q"))
    server_classes: Counter[str] = field(default_factory=Counter)
    blame: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    ways: dict[tuple[object, ...], Way] = field(default_factory=dict)
    other_ways: int = 0
    good: list[Attempt] = field(default_factory=list)
    seconds: array[float] = field(default_factory=lambda: array("d"))
    waited: array[float] = field(default_factory=lambda: array("d"))
    spent: float = 0.0
    broken_off: int = 0
    first_bad: int | None = None
    healed: int = 0

    def expect(self, names: tuple[str, ...]) -> None:
        """Models that are in the summary even where no attempt knows them."""
        for name in names:
            self._model(name)

    def add(self, attempt: Attempt) -> None:
        """Take in an attempt. One that was broken off before anything went wrong tells nothing and is only counted."""
        letter = letter_of(attempt)
        self.spent += attempt.seconds
        if attempt.ended == "stopped" and letter == UNCLEAR:
            self.broken_off += 1
            return
        for name, one in attempt.models.items():
            self._model(name).add(attempt.number, one, attempt.seconds)
            kind = "dependency" if one.outcome == "knock-on" else "capture"
            self.blame.update((culprit, name, kind) for culprit in dict.fromkeys(one.culprits))
        self.numbers.append(attempt.number)
        for model in self.models.values():
            if len(model.strip) < len(self.numbers):
                model.strip += b"-"
        self.strip += letter.encode()
        if attempt.server:
            self.server_classes[attempt.server] += 1
        if letter == GOOD:
            self.healed += any(one.retries for one in attempt.models.values())
            self.seconds.append(max(0.0, attempt.seconds))
            self._keep_good(attempt)
        elif letter == WRONG:
            self.first_bad = self.first_bad or attempt.number
            if attempt.ended == "timeout":
                self.waited.append(max(0.0, attempt.seconds))
            self._keep_wrong(attempt)

    def _model(self, name: str) -> ModelFold:
        if name not in self.models:
            self.models[name] = ModelFold(bytearray(b"-" * len(self.numbers)))
        return self.models[name]

    def _keep_good(self, attempt: Attempt) -> None:
        if attempt.log and len(self.good) < _GOOD or not self.good:
            self.good.append(attempt)

    def _keep_wrong(self, attempt: Attempt) -> None:
        parts = tuple(
            (name, one.outcome, "" if one.outcome == "knock-on" else one.failure or "other")
            for name, one in sorted(attempt.models.items())
            if one.outcome in (*BAD, "knock-on")
        )
        way = self.ways.get((parts, attempt.server))
        if way is not None:
            way.attempts += 1
            if attempt.log and not way.example.log:
                way.example = attempt
        elif len(self.ways) < _WAYS:
            self.ways[parts, attempt.server] = Way(parts, attempt.server, 1, attempt.number, attempt)
        else:
            self.other_ways += 1


def letter_of(attempt: Attempt) -> str:
    """Whether the server came up whole: `.` it did, `F` it did not, `?` nobody knows."""
    if attempt.whole:
        return GOOD
    outcomes = {one.outcome for one in attempt.models.values()}
    if outcomes & {*BAD, "knock-on"} or attempt.server or attempt.ended == "timeout":
        return WRONG
    return WRONG if attempt.ended == "exit" and attempt.exit_code else UNCLEAR
