"""Do the failures of a run come independently of each other, as every interval takes for granted?

Two tests of the order of the outcomes, given how many failed; under independence every order is equally likely. Runs
(stretches of equal outcomes): few mean that failures cluster, many that they alternate. Trend: whether failures lie
late or early. Both use the distribution over all orders itself, so nothing is drawn at random.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from tritoncheck.stress.distributions import log_choose

Pattern = Literal["none", "clusters", "alternates", "rises", "falls"]

_EXACT_STEPS = 1_000_000  # the exact distribution of the trend takes about as many additions; beyond, its normal limit


class Independence(NamedTuple):
    """What the order of the outcomes shows.

    first, second: failures and attempts of either half of the run. lateness: the share of pairs of a failure and a
    success in which the failure came later, 0.5 without a trend. p_runs, p_trend: two-sided p-values.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    runs: int
    expected_runs: float
    p_runs: float
    lateness: float
    p_trend: float

    @property
    def p(self) -> float:
        """The p-value of the two tests together (Bonferroni)."""
        return min(1.0, 2 * min(self.p_runs, self.p_trend))

    def pattern(self, alpha: float = 0.05) -> Pattern:
        """What to say of the order; `none` where chance alone explains it. All but that and `alternates` make the
        intervals too narrow."""
        if self.p >= alpha:
            return "none"
        if self.p_trend <= self.p_runs:
            return "rises" if self.lateness > 0.5 else "falls"
        return "clusters" if self.runs < self.expected_runs else "alternates"


def independence(failed: Sequence[bool | int]) -> Independence:
    """Tests the outcomes of the attempts, in their order; 1 or True is a failure."""
    outcomes = [bool(each) for each in failed]
    places = [place for place, each in enumerate(outcomes) if each]
    n, k, half = len(outcomes), len(places), len(outcomes) // 2
    runs = sum(1 for _ in itertools.groupby(outcomes))
    early = sum(outcomes[:half])
    pairs = k * (n - k)
    return Independence(
        first=(early, half),
        second=(k - early, n - half),
        runs=runs,
        expected_runs=1 + 2 * pairs / n if n else 0.0,
        p_runs=runs_p(runs, k, n - k),
        lateness=_later(places) / pairs if pairs else 0.5,
        p_trend=trend_p(places, n),
    )


def runs_p(runs: int, failures: int, successes: int) -> float:
    """The two-sided p-value of a number of runs: twice the smaller tail.

    Wald and Wolfowitz, Annals of Mathematical Statistics 11 (1940) 147.
    """
    if not (failures and successes):
        return 1.0
    all_orders = log_choose(failures + successes, failures)

    def mass(count: int) -> float:
        """Of this many runs: the ways to cut both kinds into pieces, over all orders."""
        more, less = (count + 1) // 2, count // 2
        ways = 0.0
        for f, s in ((more, less), (less, more)):
            if f <= failures and s <= successes:
                logs = log_choose(failures - 1, f - 1) + log_choose(successes - 1, s - 1)
                ways += math.exp(logs - all_orders)
        return ways

    most = 2 * min(failures, successes) + (failures != successes)
    few = math.fsum(mass(count) for count in range(2, runs + 1))
    many = math.fsum(mass(count) for count in range(runs, most + 1))
    return min(1.0, 2 * min(few, many))


def trend_p(places: Sequence[int], attempts: int) -> float:
    """The two-sided p-value of where the failures lie, places counted from 0: Mann-Whitney's, with no ties.

    Mann and Whitney, Annals of Mathematical Statistics 18 (1947) 50: exact, or by the normal limit with continuity
    correction where there are too many orders.
    """
    k, n = len(places), attempts
    pairs = k * (n - k)
    if not pairs:
        return 1.0
    extreme = min(_later(places), pairs - _later(places))
    small = min(k, n - k)
    if 2 * small * pairs > _EXACT_STEPS:
        spread = math.sqrt(pairs * (n + 1) / 12)
        return min(1.0, math.erfc((pairs / 2 - extreme - 0.5) / spread / math.sqrt(2)))
    # The orders with each number of such pairs are the coefficients of a Gaussian binomial: multiply by the factors
    # 1 - q^(n - small + i), divide by 1 - q^i.
    ways = [1] + [0] * extreme
    for i in range(1, small + 1):
        step = n - small + i
        for at in range(extreme, step - 1, -1):
            ways[at] -= ways[at - step]
        for at in range(i, extreme + 1):
            ways[at] += ways[at - i]
    return min(1.0, 2 * sum(ways) / math.comb(n, k))


def _later(places: Sequence[int]) -> int:
    """How many pairs of a failure and a success there are in which the failure came later."""
    return sum(places) - len(places) * (len(places) - 1) // 2
