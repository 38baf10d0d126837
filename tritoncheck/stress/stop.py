"""When a run may stop, declared before it begins.

Who looks at the counts after every attempt and stops when they please misses the true rate with a fixed-n interval in
some 20 % of runs instead of 5 %. The rules here may be asked after every attempt: a number, a time, the confidence
sequence, the sequential test. A rule sees nothing but the tally and keeps no memory, so that a resumed run decides like
an unbroken one.

Every function and record raises ValueError for numbers that cannot be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from tritoncheck.stress.anytime import log_evidence
from tritoncheck.stress.stats import check_share, percent

Outcome = Literal["good", "bad", "inconclusive", "complete"]
"""good, bad: the question of the rule is answered. inconclusive: the most attempts allowed did not answer it. complete:
the planned number or time is used up, which answers nothing by itself."""


class Tally(NamedTuple):
    """Where a run stands: attempts, those among them that failed, seconds since it began, and those among the attempts
    of which nobody knows whether they failed: nothing is called good or bad because of these."""

    attempts: int
    failures: int
    seconds: float = 0.0
    unknown: int = 0

    @property
    def counts(self) -> str:
        """In words."""
        return f"{self.failures} of {self.attempts} failed" + (f", {self.unknown} are unknown" if self.unknown else "")


class Decision(NamedTuple):
    """That a rule ended a run: at which tally, with what outcome, and why in one line."""

    rule: str
    outcome: Outcome
    tally: Tally
    reason: str


class StopRule(Protocol):
    """One way to end a run: a frozen dataclass, whose fields are all that a plan keeps of it."""

    name: ClassVar[str]

    @property
    def declared(self) -> str:
        """What it waits for, in words."""

    def decide(self, tally: Tally) -> Decision | None:
        """The decision at this tally, None to go on. To be asked after every attempt."""


@dataclass(frozen=True, slots=True)
class FixedCount:
    """So many attempts, whatever they show. The intervals of `stats` hold exactly."""

    attempts: int

    name: ClassVar[str] = "fixed-count"

    def __post_init__(self) -> None:
        _check_most(self.attempts)

    @property
    def declared(self) -> str:
        """What it waits for, in words."""
        return f"after {self.attempts:,} attempts" if self.attempts > 1 else "after 1 attempt"

    def decide(self, tally: Tally) -> Decision | None:
        """Complete at the planned number."""
        if tally.attempts < self.attempts:
            return None
        return Decision(self.name, "complete", tally, _done(self.attempts))


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """So many seconds, whatever they show. The intervals of `stats` hold nearly, the confidence sequence exactly."""

    seconds: float

    name: ClassVar[str] = "time-budget"

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"a budget of {self.seconds} s cannot be")

    @property
    def declared(self) -> str:
        """What it waits for, in words."""
        return f"after {self.seconds:g} s"

    def decide(self, tally: Tally) -> Decision | None:
        """Complete when the time is up; the attempt in which that happened counts."""
        if tally.seconds < self.seconds:
            return None
        return Decision(self.name, "complete", tally, f"the planned {self.seconds:g} s are up")


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """Until the running interval lies wholly below a claimed rate (good) or above it (bad), or the most attempts.

    Wrong in at most 1 - level of all runs, whatever the rate and however often it is asked.
    """

    rate: float
    most: int
    level: float = 0.95

    name: ClassVar[str] = "confidence-sequence"

    def __post_init__(self) -> None:
        check_share(self.rate, "rate")
        check_share(self.level, "level")
        _check_most(self.most)

    @property
    def declared(self) -> str:
        """What it waits for, in words."""
        sure = f"confidence sequence, {self.level * 100:g} %"
        around = f"the rate is surely below or above {percent(self.rate)}"
        return f"when {around} ({sure}), after {self.most:,} attempts at most"

    def decide(self, tally: Tally) -> Decision | None:
        """Good or bad as soon as the claimed rate is outside the running interval."""
        limit = -math.log1p(-self.level)
        sure = f"({self.level * 100:g} % at any time)"
        worst, known = tally.failures + tally.unknown, tally.attempts - tally.unknown
        if worst < self.rate * tally.attempts and log_evidence(self.rate, worst, tally.attempts) > limit:
            return Decision(self.name, "good", tally, f"{tally.counts}: the rate is below {percent(self.rate)} {sure}")
        if tally.failures > self.rate * known and log_evidence(self.rate, tally.failures, known) > limit:
            return Decision(self.name, "bad", tally, f"{tally.counts}: the rate is above {percent(self.rate)} {sure}")
        if tally.attempts < self.most:
            return None
        reason = f"{tally.counts}: {self.most} attempts do not tell whether the rate is below {percent(self.rate)}"
        return Decision(self.name, "inconclusive", tally, reason)


@dataclass(frozen=True, slots=True)
class Sprt:
    """Until the counts speak clearly for one of two rates, the good or the bad, or the most attempts.

    Wald, Sequential Analysis (1947), truncated. alpha bounds, closely, how often a server of the good rate is called
    bad, beta how often one of the bad rate is called good.
    """

    good: float
    bad: float
    most: int
    alpha: float = 0.05
    beta: float = 0.05

    name: ClassVar[str] = "sprt"

    def __post_init__(self) -> None:
        for field in ("good", "bad", "alpha", "beta"):
            check_share(getattr(self, field), field)
        if self.good >= self.bad:
            raise ValueError(f"the good rate {self.good} is not below the bad one {self.bad}")
        if self.alpha + self.beta >= 1:
            raise ValueError(f"error rates {self.alpha} and {self.beta} leave nothing to decide")
        _check_most(self.most)

    @property
    def limits(self) -> tuple[float, float]:
        """The log likelihood ratios (bad to good) at which it is good and at which it is bad."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def declared(self) -> str:
        """What it waits for, in words."""
        sure = f"sequential test, errors of {self.alpha * 100:g} % and {self.beta * 100:g} %"
        between = f"a rate of {percent(self.good)} from {percent(self.bad)}"
        return f"when the counts tell {between} ({sure}), after {self.most:,} attempts at most"

    def decide(self, tally: Tally) -> Decision | None:
        """Good or bad as soon as the likelihood ratio of the two rates reaches a limit."""
        low, high = self.limits
        counts, good, bad = tally.counts, percent(self.good), percent(self.bad)
        if self._ratio(tally.attempts, tally.failures + tally.unknown) <= low:
            return Decision(self.name, "good", tally, f"{counts}: speaks for a rate of {good} against {bad}")
        if self._ratio(tally.attempts - tally.unknown, tally.failures) >= high:
            return Decision(self.name, "bad", tally, f"{counts}: speaks for a rate of {bad} against {good}")
        if tally.attempts < self.most:
            return None
        reason = f"{counts}: {self.most} attempts do not tell a rate of {good} from {bad}"
        return Decision(self.name, "inconclusive", tally, reason)

    def needed(self, tally: Tally) -> int:
        """How many more attempts without a failure would make it good."""
        missing = self._ratio(tally.attempts, tally.failures + tally.unknown) - self.limits[0]
        return max(0, math.ceil(missing / (math.log1p(-self.good) - math.log1p(-self.bad)) - 1e-9))

    def _ratio(self, attempts: int, failures: int) -> float:
        """The log likelihood ratio, bad to good."""
        success = math.log1p(-self.bad) - math.log1p(-self.good)
        return failures * math.log(self.bad / self.good) + (attempts - failures) * success


def decide(rules: Sequence[StopRule], tally: Tally) -> Decision | None:
    """What the first of these rules that ends the run decides, None if all go on."""
    return next((found for rule in rules if (found := rule.decide(tally))), None)


def _check_most(attempts: int) -> None:
    if attempts < 1:
        raise ValueError(f"{attempts} attempts decide nothing")


def _done(attempts: int) -> str:
    return f"the {attempts} planned attempts are done" if attempts > 1 else "the one planned attempt is done"
