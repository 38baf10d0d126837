"""What k failures in n attempts say about the rate of failure, of one model or of many.

A rate is a share from 0 to 1; a level is the confidence, 0.95 unless said otherwise. One attempt is one start in which
the model was really tried; who counts that is not known here. The attempts are taken to be independent
(`independence.py` checks it) and their number to be fixed beforehand (`stop.py` is for reading along).

Every function raises ValueError for counts and levels that cannot be.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from tritoncheck.stress.distributions import beta_cdf, beta_quantile


class Interval(NamedTuple):
    """Limits of a rate, or of a difference of rates, and how they were found."""

    method: str
    level: float
    low: float
    high: float

    def __contains__(self, rate: object) -> bool:
        return isinstance(rate, int | float) and self.low <= rate <= self.high


def check_counts(failures: int, attempts: int, level: float = 0.95) -> None:
    """Raises ValueError unless 0 ≤ failures ≤ attempts and 0 < level < 1."""
    if not 0 <= failures <= attempts:
        raise ValueError(f"{failures} failures in {attempts} attempts cannot be")
    check_share(level, "level")


def check_share(value: float, name: str) -> None:
    """Raises ValueError unless the value is above 0 and below 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} {value} is not between 0 and 1")


@functools.lru_cache(maxsize=4096)
def clopper_pearson(failures: int, attempts: int, level: float = 0.95) -> Interval:
    """The interval for gates and claims: it holds the true rate in at least `level` of all runs, whatever the rate.

    Clopper and Pearson, Biometrika 26 (1934) 404, by quantiles of the beta distribution.
    """
    check_counts(failures, attempts, level)
    tail = (1 - level) / 2
    successes = attempts - failures
    low = beta_quantile(tail, failures, successes + 1) if failures else 0.0
    high = beta_quantile(1 - tail, failures + 1, successes) if successes else 1.0
    return Interval("clopper-pearson", level, low, high)


def wilson(failures: int, attempts: int, level: float = 0.95) -> Interval:
    """The interval to show: it holds the true rate in `level` of all runs on average, and is shorter.

    Wilson, Journal of the American Statistical Association 22 (1927) 209, without continuity correction.
    """
    check_counts(failures, attempts, level)
    if not attempts:
        return Interval("wilson", level, 0.0, 1.0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate, weight = failures / attempts, z * z / attempts
    centre = (rate + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(rate * (1 - rate) / attempts + weight / (4 * attempts))
    low = centre - half if failures else 0.0
    high = centre + half if failures < attempts else 1.0
    return Interval("wilson", level, low, high)


def upper_limit(failures: int, attempts: int, level: float = 0.95) -> float:
    """The rate that is ruled out from above: one-sided Clopper-Pearson. 1 - (1 - level)^(1/n) without any failure."""
    check_counts(failures, attempts, level)
    if failures == attempts:
        return 1.0
    if not failures:
        return -math.expm1(math.log1p(-level) / attempts)
    return beta_quantile(level, failures + 1, attempts - failures)


def attempts_for_claim(rate: float, level: float = 0.95, failures: int = 0) -> int:
    """The least number of attempts whose upper limit is no higher than a rate, if no more than `failures` fail."""
    check_share(rate, "rate")
    check_counts(failures, failures, level)

    def shown(attempts: int) -> bool:
        if not failures:  # what the limit itself is computed from, so that the two agree to the last bit
            return upper_limit(0, attempts, level) <= rate
        return 1 - beta_cdf(rate, failures + 1, attempts - failures) <= 1 - level

    low, high = failures, failures + 1
    while not shown(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def newcombe(failures_a: int, attempts_a: int, failures_b: int, attempts_b: int, level: float = 0.95) -> Interval:
    """The interval of the difference rate A - rate B of two independent arms.

    Newcombe, Statistics in Medicine 17 (1998) 873, method 10: square-and-add of the two Wilson intervals.
    """
    a, b = wilson(failures_a, attempts_a, level), wilson(failures_b, attempts_b, level)
    if not (attempts_a and attempts_b):
        return Interval("newcombe", level, -1.0, 1.0)
    rate_a, rate_b = failures_a / attempts_a, failures_b / attempts_b
    low = rate_a - rate_b - math.hypot(rate_a - a.low, b.high - rate_b)
    high = rate_a - rate_b + math.hypot(a.high - rate_a, rate_b - b.low)
    return Interval("newcombe", level, low, high)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """The p-values of one family of tests, raised so that all may be read at one error rate together, in their order.

    Holm, Scandinavian Journal of Statistics 6 (1979) 65.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError("a p-value is not between 0 and 1")
    adjusted, least = [0.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = least
    return tuple(adjusted)


def phi(first: Sequence[bool | int], second: Sequence[bool | int]) -> float | None:
    """How far two models fail together: the correlation of their outcomes (1 = failed) over the same attempts.

    1 where they always fail together, -1 where always exactly one fails; None where one of them never varies.
    Raises ValueError for sequences of unequal length.
    """
    n, x, y = len(first), sum(map(bool, first)), sum(map(bool, second))
    both = sum(1 for one, other in zip(first, second, strict=True) if one and other)
    spread = x * (n - x) * y * (n - y)
    return (n * both - x * y) / math.sqrt(spread) if spread else None


def percent(rate: float) -> str:
    """A rate for people, to the nearest: one decimal, below 1 % two digits."""
    value = rate * 100
    if value in (0, 100):
        return f"{value:.0f} %"
    decimals = 1 if value >= 1 else 1 - math.floor(math.log10(value))
    return f"{value:.{decimals}f} %"


def sentence(failures: int, attempts: int, level: float = 0.95) -> str:
    """What the counts say, in one line: `0 of 50: rules out a failure rate above 5.8 % (95 %)`."""
    check_counts(failures, attempts, level)
    sure = f"({level * 100:g} %)"
    if not attempts:
        return "0 of 0: nothing is known"
    if not failures:
        return f"0 of {attempts}: rules out a failure rate above {percent(upper_limit(0, attempts, level))} {sure}"
    if failures == attempts:
        floor = percent(1 - upper_limit(0, attempts, level))
        return f"{failures} of {attempts}: rules out a failure rate below {floor} {sure}"
    limits = clopper_pearson(failures, attempts, level)
    return (
        f"{failures} of {attempts}: a failure rate of {percent(failures / attempts)},"
        f" between {percent(limits.low)} and {percent(limits.high)} {sure}"
    )
