"""When a run may stop, declared before it begins.

Who looks at the counts after every attempt and stops when they please misses the true rate with a fixed-n interval in
some 20 % of runs instead of 5 %. The rules here may be asked after every attempt: a number, a time, the confidence
sequence, the sequential test. A rule sees nothing but the tally and keeps no memory, so that a resumed run decides like
an unbroken one.

Every function and record raises ValueError for numbers that cannot be.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from tritoncheck.stress.distributions import log_beta, switch
from tritoncheck.stress.stats import Interval, check_counts, check_share, percent

Outcome = Literal["good", "bad", "inconclusive", "complete"]
"""good, bad: the question of the rule is answered. inconclusive: the most attempts allowed did not answer it. complete:
the planned number or time is used up, which answers nothing by itself."""

_PRIOR = 0.5  # both parameters of the beta mixture: Jeffreys' prior


class Tally(NamedTuple):
    """Where a run stands: attempts that count, those among them that failed, seconds since it began."""

    attempts: int
    failures: int
    seconds: float = 0.0


class Decision(NamedTuple):
    """That a rule ended a run: at which tally, with what outcome, and why in one line."""

    rule: str
    outcome: Outcome
    tally: Tally
    reason: str


class StopRule(Protocol):
    """One way to end a run: a frozen dataclass, whose fields are all that a plan keeps of it."""

    name: ClassVar[str]

    def decide(self, tally: Tally) -> Decision | None:
        """The decision at this tally, None to go on. To be asked after every attempt."""


@dataclass(frozen=True, slots=True)
class FixedCount:
    """So many attempts, whatever they show. The intervals of `stats` hold exactly."""

    attempts: int

    name: ClassVar[str] = "fixed-count"

    def __post_init__(self) -> None:
        _check_most(self.attempts)

    def decide(self, tally: Tally) -> Decision | None:
        """Complete at the planned number."""
        if tally.attempts < self.attempts:
            return None
        return Decision(self.name, "complete", tally, f"the {self.attempts} planned attempts are done")


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """So many seconds, whatever they show. The intervals of `stats` hold nearly, the confidence sequence exactly."""

    seconds: float

    name: ClassVar[str] = "time-budget"

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"a budget of {self.seconds} s cannot be")

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

    def decide(self, tally: Tally) -> Decision | None:
        """Good or bad as soon as the claimed rate is outside the running interval."""
        attempts, failures, _ = tally
        counts = f"{failures} of {attempts} failed"
        if log_evidence(self.rate, failures, attempts) > -math.log1p(-self.level):
            below = failures < self.rate * attempts
            side = "below" if below else "above"
            reason = f"{counts}: the rate is {side} {percent(self.rate)} ({self.level * 100:g} % at any time)"
            return Decision(self.name, "good" if below else "bad", tally, reason)
        if attempts < self.most:
            return None
        reason = f"{counts}: {self.most} attempts do not tell whether the rate is below {percent(self.rate)}"
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

    def decide(self, tally: Tally) -> Decision | None:
        """Good or bad as soon as the likelihood ratio of the two rates reaches a limit."""
        attempts, failures, _ = tally
        ratio = failures * math.log(self.bad / self.good)
        ratio += (attempts - failures) * (math.log1p(-self.bad) - math.log1p(-self.good))
        low, high = self.limits
        counts, good, bad = f"{failures} of {attempts} failed", percent(self.good), percent(self.bad)
        if ratio <= low:
            return Decision(self.name, "good", tally, f"{counts}: speaks for a rate of {good} against {bad}")
        if ratio >= high:
            return Decision(self.name, "bad", tally, f"{counts}: speaks for a rate of {bad} against {good}")
        if attempts < self.most:
            return None
        reason = f"{counts}: {self.most} attempts do not tell a rate of {good} from {bad}"
        return Decision(self.name, "inconclusive", tally, reason)


def decide(rules: Sequence[StopRule], tally: Tally) -> Decision | None:
    """What the first of these rules that ends the run decides, None if all go on."""
    return next((found for rule in rules if (found := rule.decide(tally))), None)


def replay(rules: Sequence[StopRule], tallies: Iterable[Tally]) -> Decision | None:
    """The first decision along the tallies of a run, as when each was asked about at its time."""
    return next((found for tally in tallies if (found := decide(rules, tally))), None)


def log_evidence(rate: float, failures: int, attempts: int) -> float:
    """How strongly the counts speak against a rate, 0 < rate < 1: the log likelihood ratio of the beta mixture to it.

    While the rate is the true one, the ratio ever reaches 1/α with a probability of at most α (Ville's inequality).
    """
    mixture = log_beta(_PRIOR + failures, _PRIOR + attempts - failures) - log_beta(_PRIOR, _PRIOR)
    return mixture - failures * math.log(rate) - (attempts - failures) * math.log1p(-rate)


@functools.lru_cache(maxsize=4096)
def running_interval(failures: int, attempts: int, level: float = 0.95) -> Interval:
    """The interval to show while a run is live: all of them together hold the true rate in at least `level` of runs.

    The beta-binomial confidence sequence with a = b = ½ (Robbins, Annals of Mathematical Statistics 41 (1970) 1397):
    all rates against which the evidence is at most 1/(1 - level).
    """
    check_counts(failures, attempts, level)
    limit = -math.log1p(-level)
    seen = failures / attempts if attempts else 0.5
    low, high = 0.0, 1.0
    if failures:
        low = switch(lambda rate: log_evidence(rate, failures, attempts) <= limit, 0.0, seen)
    if failures < attempts:
        high = switch(lambda rate: log_evidence(rate, failures, attempts) > limit, seen, 1.0)
    return Interval("beta-binomial-sequence", level, low, high)


def _check_most(attempts: int) -> None:
    if attempts < 1:
        raise ValueError(f"{attempts} attempts decide nothing")
