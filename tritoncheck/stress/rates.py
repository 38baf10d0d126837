"""How often something went wrong, of one model or of the whole server, with every interval that a report shows.

An attempt counts where the model was really tried. An unknown outcome does not count, but is not forgotten: the worst
case takes it for a failure. Where a run could stop because of what was seen, the interval that may be read at any time
stands in for the one of a fixed number. Knows nothing of logs and journals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tritoncheck.stress import stats
from tritoncheck.stress.anytime import running_interval
from tritoncheck.stress.stats import Interval

Verdict = Literal["clean", "nondeterministic", "deterministic", "inconclusive"]

# Outcomes in which a model did not come up whole, so that they count as failures of its rate.
BAD = ("degraded", "failed", "hung", "crashed")
# From so many on, failures without exception rule out a rate below one half (95 %), and are called deterministic.
ALWAYS = 5
# A claim that would take more attempts than this is not searched for further.
_MOST = 10_000_000


@dataclass(frozen=True, slots=True)
class Rate:
    """bad of n attempts went wrong; `unknown` more may have. sequential: the run could stop because of what it saw."""

    n: int
    bad: int
    unknown: int = 0
    sequential: bool = False
    level: float = 0.95

    @property
    def share(self) -> float | None:
        """bad/n, None without attempts."""
        return self.bad / self.n if self.n else None

    @property
    def interval(self) -> Interval:
        """The interval to stand behind: Clopper-Pearson, or the one for reading along if the run could stop early."""
        return _interval(self.bad, self.n, self.level, self.sequential)

    @property
    def wilson(self) -> Interval:
        """The interval to show."""
        return stats.wilson(self.bad, self.n, self.level)

    @property
    def worst(self) -> Interval:
        """The interval if every unknown outcome was a failure; its upper end is the one to fear."""
        return _interval(self.bad + self.unknown, self.n + self.unknown, self.level, self.sequential)

    @property
    def ceiling(self) -> float:
        """The rate that is ruled out from above."""
        return _ceiling(self.bad, self.n, self.level, self.sequential)

    @property
    def floor(self) -> float:
        """The rate that is ruled out from below."""
        return 1 - _ceiling(self.n - self.bad, self.n, self.level, self.sequential) if self.n else 0.0

    @property
    def worst_ceiling(self) -> float:
        """The rate that is ruled out from above, whatever the unknown outcomes were."""
        return _ceiling(self.bad + self.unknown, self.n + self.unknown, self.level, self.sequential)

    def needed(self, claim: float) -> int | None:
        """How many more attempts without a failure would show that the rate is below a claim; None: out of reach."""
        bad, n = self.bad + self.unknown, self.n + self.unknown
        if not self.sequential:
            return max(0, stats.attempts_for_claim(claim, self.level, bad) - n)
        low, high = n - 1, max(n, 1)
        while _ceiling(bad, high, self.level, True) > claim:
            low, high = high, high * 2
            if high > _MOST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            if _ceiling(bad, middle, self.level, True) > claim:
                low = middle
            else:
                high = middle
        return high - n


def verdict(outcomes: Mapping[str, int]) -> Verdict:
    """What a model's outcomes, counted, say of it: whether it fails, and whether it always does in the same way.

    An unknown outcome outranks a good one: nobody knows that such a model is clean.
    """
    bad = {outcome: count for outcome in BAD if (count := outcomes.get(outcome, 0))}
    tried = sum(bad.values()) + outcomes.get("ready", 0)
    if not bad:
        return "clean" if tried and not outcomes.get("unknown") else "inconclusive"
    if len(bad) > 1 or sum(bad.values()) < tried:
        return "nondeterministic"
    return "deterministic" if tried >= ALWAYS else "inconclusive"


def _interval(bad: int, n: int, level: float, sequential: bool) -> Interval:
    return running_interval(bad, n, level) if sequential else stats.clopper_pearson(bad, n, level)


def _ceiling(bad: int, n: int, level: float, sequential: bool) -> float:
    if not n:
        return 1.0
    return running_interval(bad, n, level).high if sequential else stats.upper_limit(bad, n, level)
