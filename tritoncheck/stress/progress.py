"""Where a run stands while it goes on: what a live view shows, without the showing.

The interval is the one that may be read at any time, so that whoever stops because it looks good does not fool
themselves. Knows no terminal and no clock.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from tritoncheck.stress.anytime import running_interval
from tritoncheck.stress.fold import LETTERS, UNCLEAR, WRONG, letter_of
from tritoncheck.stress.rates import BAD
from tritoncheck.stress.records import Attempt, Plan
from tritoncheck.stress.stats import Interval, percent
from tritoncheck.stress.wording import duration

_STRIP, _PACE = 400, 20


@dataclass(slots=True)
class ModelProgress:
    """One model so far: its last outcomes as letters, how many it was tried in, how many it did not come up whole."""

    strip: deque[str] = field(default_factory=lambda: deque(maxlen=_STRIP))
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def bad(self) -> int:
        """Attempts in which it did not come up whole."""
        return sum(self.outcomes[outcome] for outcome in BAD)

    @property
    def n(self) -> int:
        """Attempts in which it was tried."""
        return self.bad + self.outcomes["ready"]

    @property
    def interval(self) -> Interval:
        """Of its rate, at any time."""
        return running_interval(self.bad, self.n)


class Progress:
    """Counts of the attempts so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.models = {name: ModelProgress() for name in plan.expected}
        self.attempts = self.bad = self.unknown = 0
        self.spent = 0.0
        self.last_failure = ""
        self._recent: deque[float] = deque(maxlen=_PACE)

    def add(self, attempt: Attempt) -> None:
        """An attempt is over."""
        letter = letter_of(attempt)
        self.attempts += 1
        self.bad += letter == WRONG
        self.unknown += letter == UNCLEAR
        self.spent += attempt.seconds
        self._recent.append(attempt.seconds)
        for name, one in attempt.models.items():
            model = self.models.setdefault(name, ModelProgress())
            model.outcomes[one.outcome] += 1
            model.strip.append(LETTERS.get(one.outcome, "?"))
        if letter == WRONG:
            self.last_failure = f"attempt {attempt.number}: {what_happened(attempt)}"

    @property
    def n(self) -> int:
        """Attempts whose end is known."""
        return self.attempts - self.unknown

    @property
    def interval(self) -> Interval:
        """Of the rate of starts that did not come up whole, at any time."""
        return running_interval(self.bad, self.n)

    @property
    def sentence(self) -> str:
        """The counts and the interval in one line."""
        if not self.n:
            return "nothing is known yet"
        return f"{self.bad} of {self.n} did not come up whole, rate {between(self.interval)}"

    def left(self, into: float = 0.0) -> float | None:
        """Seconds to the end if the next attempts take as long as the last; into: seconds into the one that runs."""
        if not self._recent:
            return None
        pace = sorted(self._recent)[len(self._recent) // 2]
        left = max(0.0, (self.plan.restarts - self.attempts) * pace - min(into, pace))
        return left if self.plan.budget is None else min(left, max(0.0, self.plan.budget - self.spent - into))

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1: of its attempts, or of its time, whichever ends it first."""
        share = self.attempts / self.plan.restarts
        return min(1.0, share if self.plan.budget is None else max(share, self.spent / self.plan.budget))

    def time_left(self, into: float = 0.0) -> str:
        """`left` for people; "" where nobody knows. A run that may end because of its counts takes at most so long."""
        left = self.left(into)
        return f"{'about' if self.plan.until == 'count' else 'at most'} {duration(left)} left" if left else ""


def between(interval: Interval) -> str:
    """An interval for people."""
    return f"{percent(interval.low)} – {percent(interval.high)}"


def what_happened(attempt: Attempt) -> str:
    """What went wrong in an attempt, in one line; `all ready` where nothing did."""
    said = []
    for name, one in attempt.models.items():
        if one.outcome == "ready":
            said += [f"{name} ready by a retry"] if one.retries else []
            continue
        if one.outcome == "degraded" and one.lost:
            said.append(f"{name} lost its {', '.join(one.lost)}")
        else:
            said.append(f"{name} {one.outcome}" + (f" ({one.failure})" if one.failure else ""))
    if attempt.server:
        said.insert(0, f"server: {attempt.server}")
    return ", ".join(said) or ("all ready" if attempt.whole else attempt.ended)


def pace(progress: Progress) -> str:
    """How far the run is and how long it will take: `12 of 50, about 3 min left`."""
    left = progress.time_left()
    return counted(progress) + (f", {left}" if left else "")


def counted(progress: Progress) -> str:
    """How far the run is: `12 of 50`, `attempt 12` where only its time is planned."""
    if not progress.plan.counted:
        return f"attempt {progress.attempts}"
    return f"{progress.attempts} of {progress.plan.restarts}"
